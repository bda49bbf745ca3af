// SPDX-License-Identifier: BSD-2-Clause
/* A module that runs one round of AES at its start. */
#include <linux/module.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

void demo_round(unsigned char *block, const unsigned char *key);

static int __init
demo_init(void)
{
	unsigned char block[16] = { 1 }, key[16] = { 2 };

	if (!boot_cpu_has(X86_FEATURE_AES))
		return -ENODEV;
	kernel_fpu_begin();
	demo_round(block, key);
	kernel_fpu_end();
	pr_info("demo: %16ph\n", block);
	return 0;
}

static void __exit
demo_exit(void)
{
}

module_init(demo_init);
module_exit(demo_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("one round of AES");
