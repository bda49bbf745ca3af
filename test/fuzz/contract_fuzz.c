/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a contract.  What is accepted can be looked up.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/profile.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_contract *c = ks_contract_new();
	struct ks_error e;
	int rc = ks_contract_parse(c, "in", (const char *)data, size, &e);

	if (rc != KS_OK && strncmp(e.text, "in:", 3) != 0)
		abort();
	for (size_t i = 0; rc == KS_OK && i < c->items.n; i++) {
		struct ks_contract_item *it = &c->items.v[i];

		if (ks_contract_find(c, it->kind, it->func, it->id) != it)
			abort();
	}
	ks_contract_free(c);
	return 0;
}
