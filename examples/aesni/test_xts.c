/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of every AES-XTS implementation in this folder.
 *
 * 1. FIPS 197: key expansions of appendix A.1 and A.3, blocks of B, C.1, C.3.
 * 2. AES-NI and portable key setup write the same bytes.
 * 3. Vectors 1 to 19 of IEEE 1619-2007 annex B, both directions.
 * 4. Every length 16..4113 with random keys, tweaks and alignments, in place
 *    and not, both directions and key sizes, against OpenSSL's libcrypto; all
 *    256 pairs of alignments; units of 64 KiB and more.
 * 5. Errors write nothing, and brackets pair up in every case.
 * 6. What is unavailable says why, and refuses to run when called all the
 *    same.  What a CPU or a system can lack is tried on made-up CPUs, so that
 *    this does not depend on the machine.
 *
 * Vector 1 has equal halves, which OpenSSL 3 refuses to encrypt with.  It is
 * compared with the published text like the others, and OpenSSL's part is
 * taken by the standard's formula over its AES-ECB, which all vectors of whole
 * blocks are checked with too.
 *
 * Ends in "N passed, N failed".  Status: 1 after a failure; else 77 where an
 * implementation is unavailable (CTest: skipped, not passed); else 0.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "aesni.h"
#include "aesni_cpu.h"
#include "kernel.h"
#include "user.h"
#include "xts_vectors.h"

#define LEN_FIRST	16
#define LEN_LAST	4113
#define GUARD		32	/* bytes watched on each side of an output */
#define BIG		(((size_t)1 << 20) + 16 + 5)

static unsigned int passed, failed, unavailable;

/* Count a check; say which one failed. */
static void __attribute__((format(printf, 2, 3)))
check(int ok, const char *fmt, ...)
{
	va_list ap;

	if (ok) {
		passed++;
		return;
	}
	failed++;
	va_start(ap, fmt);
	printf("FAILED: ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

/* xorshift64*: the same numbers in every run. */
static uint64_t
rnd(void)
{
	static uint64_t s = 0x9e3779b97f4a7c15;

	s ^= s >> 12;
	s ^= s << 25;
	s ^= s >> 27;
	return (s * 0x2545f4914f6cdd1d);
}

static void
fill(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(rnd() >> 56);
}

static void
unhex(uint8_t *to, const char *hex, size_t n)
{
	unsigned int byte;

	if (strlen(hex) != 2 * n)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			abort();
		to[i] = (uint8_t)byte;
	}
}

/* 1 and 2. */

static const struct {
	size_t		key_len;	/* bytes, one half */
	const char	*key;
	const char	*round_keys;
} expansions[] = {
	{ 16, "2b7e151628aed2a6abf7158809cf4f3c",
	    "2b7e151628aed2a6abf7158809cf4f3ca0fafe1788542cb123a339392a6c7605"
	    "f2c295f27a96b9435935807a7359f67f3d80477d4716fe3e1e237e446d7a883b"
	    "ef44a541a8525b7fb671253bdb0bad00d4d1c6f87c839d87caf2b8bc11f915bc"
	    "6d88a37a110b3efddbf98641ca0093fd4e54f70e5f5fc9f384a64fb24ea6dc4f"
	    "ead27321b58dbad2312bf5607f8d292fac7766f319fadc2128d12941575c006e"
	    "d014f9a8c9ee2589e13f0cc8b6630ca6" },
	{ 32,
	    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
	    "9ba354118e6925afa51a8b5f2067fcdea8b09c1a93d194cdbe49846eb75d5b9a"
	    "d59aecb85bf3c917fee94248de8ebe96b5a9328a2678a647983122292f6c79b3"
	    "812c81addadf48ba24360af2fab8b46498c5bfc9bebd198e268c3ba709e04214"
	    "68007bacb2df331696e939e46c518d80c814e20476a9fb8a5025c02d59c58239"
	    "de1369676ccc5a71fa2563959674ee155886ca5d2e2f31d77e0af1fa27cf73c3"
	    "749c47ab18501ddae2757e4f7401905acafaaae3e4d59b349adf6acebd10190d"
	    "fe4890d1e6188d0b046df344706c631e" },
};

static const struct {
	size_t		key_len;
	const char	*key, *plain, *cipher;
} blocks[] = {
	{ 16, "2b7e151628aed2a6abf7158809cf4f3c",
	    "3243f6a8885a308d313198a2e0370734",
	    "3925841d02dc09fbdc118597196a0b32" },
	{ 16, "000102030405060708090a0b0c0d0e0f",
	    "00112233445566778899aabbccddeeff",
	    "69c4e0d86a7b0430d8cdb78070b4c55a" },
	{ 32,
	    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	    "00112233445566778899aabbccddeeff",
	    "8ea2b7ca516745bfeafc49904b496089" },
};

/* Both halves of the XTS key are the FIPS 197 key. */
static void
expand_twice(const struct aes_xts_impl *impl, struct aes_xts_key *k,
    const char *hex, size_t len)
{
	uint8_t key[64];

	memset(k, 0xa5, sizeof(*k));
	unhex(key, hex, len);
	memcpy(key + len, key, len);
	check(impl->setkey(k, key, 2 * len) == 0, "%s: setkey", impl->name);
}

static void
test_fips197(const struct aes_xts_impl *impl)
{
	struct aes_xts_key k;
	uint8_t want[AES_ROUND_KEYS * 16], in[16], out[16], back[16];

	for (size_t i = 0; i < sizeof(expansions) / sizeof(*expansions); i++) {
		size_t len = expansions[i].key_len;
		uint32_t rounds = len == 16 ? 10 : 14;

		expand_twice(impl, &k, expansions[i].key, len);
		unhex(want, expansions[i].round_keys, 16 * (rounds + 1));
		check(k.rounds == rounds &&
		    memcmp(k.enc, want, 16 * (rounds + 1)) == 0 &&
		    memcmp(k.twk, want, 16 * (rounds + 1)) == 0,
		    "%s: FIPS 197 key expansion, %zu bytes", impl->name, len);
	}
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		expand_twice(impl, &k, blocks[i].key, blocks[i].key_len);
		unhex(in, blocks[i].plain, 16);
		unhex(want, blocks[i].cipher, 16);
		aes_soft_encrypt_block(k.enc, k.rounds, in, out);
		aes_soft_decrypt_block(k.dec, k.rounds, out, back);
		check(memcmp(out, want, 16) == 0 && memcmp(back, in, 16) == 0,
		    "%s: FIPS 197 block %zu", impl->name, i);
	}
}

static void
test_same_keys(const struct aes_xts_impl *a, const struct aes_xts_impl *b)
{
	struct aes_xts_key x, y;
	uint8_t key[64];
	int same = 1;

	for (int i = 0; i < 1000; i++) {
		size_t len = i % 2 == 0 ? 32 : 64;

		fill(key, sizeof(key));
		memset(&x, 0x11, sizeof(x));
		memset(&y, 0x22, sizeof(y));
		same &= a->setkey(&x, key, len) == 0;
		same &= b->setkey(&y, key, len) == 0;
		same &= x.rounds == y.rounds &&
		    memcmp(x.enc, y.enc, sizeof(x.enc)) == 0 &&
		    memcmp(x.dec, y.dec, sizeof(x.dec)) == 0 &&
		    memcmp(x.twk, y.twk, sizeof(x.twk)) == 0;
	}
	check(same, "%s and %s expand keys alike", a->name, b->name);
}

/* The peer: OpenSSL. */

static EVP_CIPHER_CTX *
ossl_new(const EVP_CIPHER *cipher, const uint8_t *key, int enc)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	if (c == NULL)
		abort();
	if (EVP_CipherInit_ex(c, cipher, NULL, key, NULL, enc) != 1) {
		EVP_CIPHER_CTX_free(c);
		return (NULL);
	}
	EVP_CIPHER_CTX_set_padding(c, 0);
	return (c);
}

static EVP_CIPHER_CTX *
ossl_xts(const uint8_t *key, size_t keylen)
{
	return (ossl_new(keylen == 32 ? EVP_aes_128_xts() : EVP_aes_256_xts(),
	    key, 1));
}

static void
ossl_run(EVP_CIPHER_CTX *c, const uint8_t *iv, const uint8_t *in,
    uint8_t *out, size_t len)
{
	int n;

	if (EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, -1) != 1 ||
	    EVP_CipherUpdate(c, out, &n, in, (int)len) != 1 ||
	    n != (int)len)
		abort();
}

/* Whole blocks only: C = E(P ^ T) ^ T, block by block. */
static void
ecb_xts(const uint8_t *key, size_t keylen, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	const EVP_CIPHER *ecb = keylen == 32 ? EVP_aes_128_ecb() :
	    EVP_aes_256_ecb();
	EVP_CIPHER_CTX *data = ossl_new(ecb, key, 1);
	EVP_CIPHER_CTX *twk = ossl_new(ecb, key + keylen / 2, 1);
	uint8_t t[16], x[16];

	if (data == NULL || twk == NULL)
		abort();
	ossl_run(twk, NULL, tweak, t, 16);
	for (; len != 0; len -= 16, in += 16, out += 16) {
		int top = t[15] >> 7;

		for (int i = 0; i < 16; i++)
			x[i] = in[i] ^ t[i];
		ossl_run(data, NULL, x, out, 16);
		for (int i = 0; i < 16; i++)
			out[i] ^= t[i];
		for (int i = 15; i > 0; i--)
			t[i] = (uint8_t)(t[i] << 1 | t[i - 1] >> 7);
		t[0] = (uint8_t)(t[0] << 1 ^ (top ? 0x87 : 0));
	}
	EVP_CIPHER_CTX_free(data);
	EVP_CIPHER_CTX_free(twk);
}

/* 3. */

struct vector_bytes {
	uint8_t	key[64], tweak[16], plain[512], cipher[512];
};

static void
vector_read(const struct xts_vector *v, struct vector_bytes *b)
{
	unhex(b->key, v->key, v->key_len);
	unhex(b->cipher, v->cipher, v->len);
	for (size_t i = 0; i < 16; i++)
		b->tweak[i] = i < 8 ? (uint8_t)(v->unit >> (8 * i)) : 0;
	if (v->plain != NULL)
		unhex(b->plain, v->plain, v->len);
	else
		for (size_t i = 0; i < v->len; i++)
			b->plain[i] = (uint8_t)i;
}

static void
test_vectors_peer(void)
{
	for (size_t i = 0; i < sizeof(xts_vectors) / sizeof(*xts_vectors);
	    i++) {
		const struct xts_vector *v = &xts_vectors[i];
		struct vector_bytes b;
		EVP_CIPHER_CTX *c;
		uint8_t out[512];

		vector_read(v, &b);
		if (v->len % 16 == 0) {
			ecb_xts(b.key, v->key_len, b.tweak, b.plain, out,
			    v->len);
			check(memcmp(out, b.cipher, v->len) == 0,
			    "vector %d: formula over AES-ECB", v->number);
		}
		c = ossl_xts(b.key, v->key_len);
		if (c == NULL) {
			printf("note: OpenSSL refuses the key of vector %d "
			    "(equal halves); AES-ECB stands in\n", v->number);
			check(memcmp(b.key, b.key + v->key_len / 2,
			    v->key_len / 2) == 0,
			    "vector %d: OpenSSL refuses the key", v->number);
			continue;
		}
		ossl_run(c, b.tweak, b.plain, out, v->len);
		check(memcmp(out, b.cipher, v->len) == 0,
		    "vector %d: OpenSSL", v->number);
		EVP_CIPHER_CTX_free(c);
	}
}

static void
test_vectors(const struct aes_xts_impl *impl)
{
	for (size_t i = 0; i < sizeof(xts_vectors) / sizeof(*xts_vectors);
	    i++) {
		const struct xts_vector *v = &xts_vectors[i];
		struct vector_bytes b;
		struct aes_xts_key k;
		uint8_t out[512], back[512];
		int ok;

		vector_read(v, &b);
		ok = impl->setkey(&k, b.key, v->key_len) == 0 &&
		    impl->encrypt(&k, b.tweak, b.plain, out, v->len) == 0 &&
		    impl->decrypt(&k, b.tweak, b.cipher, back, v->len) == 0;
		check(ok && memcmp(out, b.cipher, v->len) == 0,
		    "%s: vector %d, encrypt", impl->name, v->number);
		check(ok && memcmp(back, b.plain, v->len) == 0,
		    "%s: vector %d, decrypt", impl->name, v->number);
	}
}

/* 4. */

struct unit {
	struct aes_xts_key	key;
	uint8_t			tweak[16];
	const uint8_t		*plain, *cipher;
	size_t			len;
	unsigned int		src, dst;	/* misalignment, 0..15 */
};

typedef int	xts_fn(const struct aes_xts_key *, const uint8_t *,
		    const uint8_t *, uint8_t *, size_t);

static uint8_t from_buf[BIG + 64], to_buf[BIG + 2 * GUARD + 64];

static int
all_guard(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0xc3)
			return (0);
	return (1);
}

/* in -> out with guards around out, then the same in place. */
static int
run_unit(xts_fn *fn, const struct unit *u, const uint8_t *in,
    const uint8_t *want)
{
	uint8_t *from = from_buf + u->src, *to = to_buf + GUARD + u->dst;
	size_t whole = u->len + 2 * GUARD;
	int ok;

	memcpy(from, in, u->len);
	memset(to - GUARD, 0xc3, whole);
	ok = fn(&u->key, u->tweak, from, to, u->len) == 0;
	ok &= memcmp(to, want, u->len) == 0 && memcmp(from, in, u->len) == 0;
	ok &= all_guard(to - GUARD, GUARD) && all_guard(to + u->len, GUARD);

	memcpy(to, in, u->len);
	ok &= fn(&u->key, u->tweak, to, to, u->len) == 0;
	ok &= memcmp(to, want, u->len) == 0;
	ok &= all_guard(to - GUARD, GUARD) && all_guard(to + u->len, GUARD);
	return (ok);
}

static void
check_unit(const struct aes_xts_impl *impl, const struct unit *u)
{
	check(run_unit(impl->encrypt, u, u->plain, u->cipher),
	    "%s: encrypt %zu bytes, key %s, from +%u to +%u", impl->name,
	    u->len, u->key.rounds == 10 ? "128" : "256", u->src, u->dst);
	check(run_unit(impl->decrypt, u, u->cipher, u->plain),
	    "%s: decrypt %zu bytes, key %s, from +%u to +%u", impl->name,
	    u->len, u->key.rounds == 10 ? "128" : "256", u->src, u->dst);
}

/* One random unit; all implementations against OpenSSL. */
static void
test_unit(const struct aes_xts_impl *const impls[], size_t n, size_t keylen,
    size_t len, unsigned int src, unsigned int dst)
{
	static uint8_t plain[BIG], cipher[BIG];
	struct unit u = { .plain = plain, .cipher = cipher, .len = len,
	    .src = src, .dst = dst };
	uint8_t key[64];
	EVP_CIPHER_CTX *c;

	fill(key, keylen);
	fill(u.tweak, sizeof(u.tweak));
	fill(plain, len);
	c = ossl_xts(key, keylen);
	if (c == NULL)
		abort();
	ossl_run(c, u.tweak, plain, cipher, len);
	EVP_CIPHER_CTX_free(c);
	for (size_t i = 0; i < n; i++) {
		if (len > impls[i]->max_len)
			continue;
		if (impls[i]->setkey(&u.key, key, keylen) != 0)
			check(0, "%s: setkey", impls[i]->name);
		else
			check_unit(impls[i], &u);
	}
}

static void
test_units(const struct aes_xts_impl *const impls[], size_t n)
{
	static const size_t some[] = { 16, 31, 128, 143, 259 };
	static const size_t big[] = { 65536, 65536 + 3, AESNI_ATOMIC_MAX, BIG };

	for (size_t keylen = 32; keylen <= 64; keylen += 32) {
		for (size_t len = LEN_FIRST; len <= LEN_LAST; len++)
			test_unit(impls, n, keylen, len, rnd() >> 60,
			    rnd() >> 60);
		for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
			for (unsigned int a = 0; a < 256; a++)
				test_unit(impls, n, keylen, some[i], a / 16,
				    a % 16);
		for (size_t i = 0; i < sizeof(big) / sizeof(*big); i++)
			test_unit(impls, n, keylen, big[i], 1, 3);
	}
}

/* 5. */

static void
test_errors(const struct aes_xts_impl *impl)
{
	static uint8_t in[64], out[64];
	uint8_t key[64] = { 1 }, tweak[16] = { 0 };
	struct aes_xts_key k, before;
	int ok = 1;

	memset(&k, 0x5a, sizeof(k));
	before = k;
	for (size_t len = 0; len <= 130; len++)
		if (len != 32 && len != 64)
			ok &= impl->setkey(&k, key, len) == EINVAL;
	check(ok && memcmp(&k, &before, sizeof(k)) == 0,
	    "%s: wrong key lengths are EINVAL, key unchanged", impl->name);

	check(impl->setkey(&k, key, 32) == 0, "%s: setkey", impl->name);
	memset(out, 0xc3, sizeof(out));
	for (size_t len = 0; len < 16; len++)
		ok &= impl->encrypt(&k, tweak, in, out, len) == EINVAL &&
		    impl->decrypt(&k, tweak, in, out, len) == EINVAL;
	ok &= impl->encrypt(&k, tweak, in, out, impl->max_len + 1) == EINVAL &&
	    impl->decrypt(&k, tweak, in, out, impl->max_len + 1) == EINVAL;
	check(ok && all_guard(out, sizeof(out)),
	    "%s: lengths out of range are EINVAL, nothing written",
	    impl->name);
}

/* The raw functions' own promise, which the brackets above never reach. */
static void
test_raw_short(void (*fn)(const struct aes_xts_key *, const uint8_t *,
    const uint8_t *, uint8_t *, size_t), const char *name)
{
	static uint8_t in[64], out[64];
	uint8_t key[32] = { 1 }, tweak[16] = { 0 };
	struct aes_xts_key k;

	check(aes_soft_xts_setkey(&k, key, 32) == 0, "setkey");
	memset(out, 0xc3, sizeof(out));
	for (size_t len = 0; len < 16; len++)
		fn(&k, tweak, in, out, len);
	check(all_guard(out, sizeof(out)), "%s: below 16 bytes nothing is "
	    "written", name);
}

/* Three calls must give 'regions' regions. */
static void
test_brackets(const struct aes_xts_impl *impl, unsigned int regions,
    const char *when)
{
	uint8_t key[32] = { 1 }, tweak[16] = { 0 }, buf[80] = { 0 };
	struct aes_xts_key k;
	struct user_fpu *f = &user_fpu;
	int ok;

	f->enters = f->leaves = f->faults = 0;
	ok = impl->setkey(&k, key, 32) == 0 &&
	    impl->encrypt(&k, tweak, buf, buf, sizeof(buf)) == 0 &&
	    impl->decrypt(&k, tweak, buf, buf, sizeof(buf)) == 0;
	check(ok && f->enters == regions && f->leaves == regions &&
	    f->faults == 0 && !f->held && f->contexts == 0,
	    "%s: %u regions in three calls %s (%u enters, %u leaves, "
	    "%u faults, %d contexts left)", impl->name, regions, when,
	    f->enters, f->leaves, f->faults, f->contexts);
}

static void
test_no_memory(const struct aes_xts_impl *impl)
{
	uint8_t key[32] = { 1 }, tweak[16] = { 0 }, in[80] = { 0 }, out[80];
	struct aes_xts_key k;
	struct user_fpu *f = &user_fpu;

	memset(out, 0xc3, sizeof(out));
	check(impl->setkey(&k, key, 32) == 0, "%s: setkey", impl->name);
	f->enters = f->leaves = f->faults = 0;
	f->no_memory = 1;
	check(impl->setkey(&k, key, 32) == ENOMEM &&
	    impl->encrypt(&k, tweak, in, out, sizeof(out)) == ENOMEM &&
	    impl->decrypt(&k, tweak, in, out, sizeof(out)) == ENOMEM &&
	    all_guard(out, sizeof(out)) && f->enters == 0 && f->leaves == 0 &&
	    f->faults == 0, "%s: ENOMEM without a context", impl->name);
	f->no_memory = 0;
}

/* Vector 5 through a session: the unit number becomes the tweak. */
static void
test_session(size_t max_len, const struct aes_xts_impl *want)
{
	struct aesni_session s, zero;
	struct vector_bytes b;
	uint8_t out[512], back[512];

	vector_read(&xts_vectors[4], &b);
	check(aesni_session_init(&s, b.key, 32, max_len) == 0 &&
	    s.impl == want, "session of %zu bytes uses %s", max_len,
	    want->name);
	check(aesni_session_encrypt(&s, 1, b.plain, out, 512) == 0 &&
	    memcmp(out, b.cipher, 512) == 0 &&
	    aesni_session_decrypt(&s, 1, b.cipher, back, 512) == 0 &&
	    memcmp(back, b.plain, 512) == 0, "session with %s: vector 5",
	    want->name);
	check(aesni_session_init(&s, b.key, 33, max_len) == EINVAL &&
	    aesni_session_init(&s, b.key, 32, AES_XTS_LEN_MAX + 1) == EINVAL,
	    "session with a wrong length is EINVAL");
	aesni_session_fini(&s);
	memset(&zero, 0, sizeof(zero));
	check(memcmp(&s, &zero, sizeof(s)) == 0, "session is cleared");
}

/* 6. */

struct raw {
	enum aesni_variant	v;
	const char		*name;
	void	(*fn)(const struct aes_xts_key *, const uint8_t *,
		    const uint8_t *, uint8_t *, size_t);
};

static const struct raw raws[] = {
	{ AESNI_BLOCK, "block encrypt", aesni_block_xts_encrypt },
	{ AESNI_BLOCK, "block decrypt", aesni_block_xts_decrypt },
	{ AESNI_WRAP2, "aesni encrypt", aesni_xts_encrypt },
	{ AESNI_WRAP2, "aesni decrypt", aesni_xts_decrypt },
	{ AESNI_VAES2, "vaes2 encrypt", aesni_vaes2_xts_encrypt },
	{ AESNI_VAES2, "vaes2 decrypt", aesni_vaes2_xts_decrypt },
	{ AESNI_VAES512, "vaes512 encrypt", aesni_vaes512_xts_encrypt },
	{ AESNI_VAES512, "vaes512 decrypt", aesni_vaes512_xts_decrypt },
};

/* Lacking anything at all, a variant must not run; with all, it may. */
static void
test_cpus(void)
{
	static const struct aesni_cpu full = {
		.edx1 = 1u << 26, .ecx1 = 1u << 25 | 1u << 27 | 1u << 28,
		.ebx7 = 1u << 5 | 1u << 16 | 1u << 30,
		.ecx7 = 1u << 9 | 1u << 10, .xcr0 = 0xe7
	};
	/* One thing less than full, and the first variant that needs it. */
	static const struct {
		const char		*what;
		struct aesni_cpu	less;
		enum aesni_variant	first;
	} cpus[] = {
		{ "SSE2", { .edx1 = 1u << 26 }, AESNI_BLOCK },
		{ "AES", { .ecx1 = 1u << 25 }, AESNI_BLOCK },
		{ "OSXSAVE", { .ecx1 = 1u << 27 }, AESNI_VAES2 },
		{ "AVX", { .ecx1 = 1u << 28 }, AESNI_VAES2 },
		{ "AVX2", { .ebx7 = 1u << 5 }, AESNI_VAES2 },
		{ "VAES", { .ecx7 = 1u << 9 }, AESNI_VAES2 },
		{ "VPCLMULQDQ", { .ecx7 = 1u << 10 }, AESNI_VAES2 },
		{ "XMM state", { .xcr0 = 2 }, AESNI_VAES2 },
		{ "YMM state", { .xcr0 = 4 }, AESNI_VAES2 },
		{ "AVX-512 F", { .ebx7 = 1u << 16 }, AESNI_VAES512 },
		{ "AVX-512 BW", { .ebx7 = 1u << 30 }, AESNI_VAES512 },
		{ "mask state", { .xcr0 = 0x20 }, AESNI_VAES512 },
		{ "ZMM state", { .xcr0 = 0x40 }, AESNI_VAES512 },
		{ "ZMM 16 to 31", { .xcr0 = 0x80 }, AESNI_VAES512 },
	};

	for (int v = 0; v < AESNI_VARIANTS; v++)
		check(aesni_cpu_lacks(&full, (enum aesni_variant)v) == NULL,
		    "variant %d runs on a CPU with everything", v);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		struct aesni_cpu c = full;

		c.edx1 &= ~cpus[i].less.edx1;
		c.ecx1 &= ~cpus[i].less.ecx1;
		c.ebx7 &= ~cpus[i].less.ebx7;
		c.ecx7 &= ~cpus[i].less.ecx7;
		c.xcr0 &= ~cpus[i].less.xcr0;
		for (int v = 0; v < AESNI_VARIANTS; v++)
			check((aesni_cpu_lacks(&c, (enum aesni_variant)v) !=
			    NULL) == (v >= (int)cpus[i].first),
			    "variant %d on a CPU without %s", v,
			    cpus[i].what);
	}
}

/* Called without a getter's consent, as on a CPU without the instructions. */
static void
test_not_ready(const struct aes_xts_impl *impl)
{
	static uint8_t in[64], out[64];
	uint8_t key[32] = { 1 }, tweak[16] = { 0 };
	struct aes_xts_key k, before;
	struct user_fpu *f = &user_fpu;
	unsigned int ready = aesni_ready;

	check(aes_soft_xts_setkey(&k, key, 32) == 0, "setkey");
	before = k;
	memset(out, 0xc3, sizeof(out));
	f->enters = f->leaves = f->faults = 0;
	aesni_ready = AESNI_READY_KNOWN;
	check(impl->setkey(&k, key, 32) == ENXIO &&
	    impl->encrypt(&k, tweak, in, out, sizeof(out)) == ENXIO &&
	    impl->decrypt(&k, tweak, in, out, sizeof(out)) == ENXIO &&
	    memcmp(&k, &before, sizeof(k)) == 0 &&
	    all_guard(out, sizeof(out)) && f->enters == 0,
	    "%s: ENXIO where it must not run", impl->name);
	aesni_ready = ready;
}

static void
test_variant(const struct aes_xts_impl *noctx, const struct aes_xts_impl *ctx)
{
	const struct aes_xts_impl *soft = aes_soft_xts_get();

	test_same_keys(soft, noctx);
	test_brackets(noctx, 3, "with NOCTX");
	test_brackets(ctx, 3, "with contexts");
	user_fpu.kern_thread = 1;
	test_brackets(ctx, 0, "in an fpu_kern_thread");
	user_fpu.kern_thread = 0;
	test_no_memory(ctx);
}

/* Those that run here, both brackets of each; the others say why not. */
static size_t
find_variants(const struct aes_xts_impl *impls[])
{
	size_t n = 0;

	for (int i = 0; i < AESNI_VARIANTS; i++) {
		enum aesni_variant v = (enum aesni_variant)i;
		const struct aes_xts_impl *noctx =
		    aesni_xts_get(v, AESNI_NOCTX);
		const struct aes_xts_impl *ctx = aesni_xts_get(v, AESNI_CTX);
		const char *lacks = aesni_xts_lacks(v);

		check((noctx != NULL) == (ctx != NULL) &&
		    (noctx != NULL) == (lacks == NULL),
		    "%s is available to both brackets, or says what is lacking",
		    aesni_impl[v][0].name);
		if (noctx == NULL || ctx == NULL) {
			for (int b = 0; b < AESNI_BRACKETS; b++) {
				unavailable++;
				printf("UNAVAILABLE: %s: %s\n",
				    aesni_impl[v][b].name,
				    lacks != NULL ? lacks : "?");
				test_not_ready(&aesni_impl[v][b]);
			}
			continue;
		}
		test_not_ready(noctx);
		test_not_ready(ctx);
		test_variant(noctx, ctx);
		for (size_t r = 0; r < sizeof(raws) / sizeof(*raws); r++)
			if (raws[r].v == v)
				test_raw_short(raws[r].fn, raws[r].name);
		impls[n++] = noctx;
		impls[n++] = ctx;
	}
	return (n);
}

int
main(void)
{
	const struct aes_xts_impl *soft = aes_soft_xts_get();
	const struct aes_xts_impl *impls[1 + AESNI_VARIANTS * AESNI_BRACKETS];
	const struct aes_xts_impl *last_noctx = soft, *last_ctx = soft;
	size_t n = 1;

	impls[0] = soft;
	check(aesni_ready == 0, "nobody has looked at the CPU yet");
	test_not_ready(&aesni_impl[AESNI_WRAP2][AESNI_NOCTX]);
	aesni_ready = 0;
	test_cpus();
	n += find_variants(impls + 1);
	if (n > 1) {
		last_noctx = impls[n - 2];
		last_ctx = impls[n - 1];
	}

	test_vectors_peer();
	for (size_t i = 0; i < n; i++) {
		printf("testing %s\n", impls[i]->name);
		test_fips197(impls[i]);
		test_vectors(impls[i]);
		test_errors(impls[i]);
	}
	test_raw_short(aes_soft_xts_encrypt, "soft encrypt");
	test_raw_short(aes_soft_xts_decrypt, "soft decrypt");
	test_brackets(soft, 0, "without SIMD");
	/* Sessions take the fastest, the last one found. */
	test_session(4096, last_noctx);
	test_session(AESNI_ATOMIC_MAX + 1, last_ctx);
	test_units(impls, n);
	check(user_fpu.faults == 0 && !user_fpu.held &&
	    user_fpu.contexts == 0, "no bracket fault in the whole run");

	if (unavailable != 0)
		printf("%u unavailable\n", unavailable);
	printf("%u passed, %u failed\n", passed, failed);
	return (failed != 0 ? 1 : unavailable != 0 ? 77 : 0);
}
