; The few features that are switched off take all that imply them: a function
; that had one of these has none now that another without any lacks, so it can
; be inlined there.  Without confining, no call goes.  (evex512 is a width that
; LLVM sets beside AVX-512, and no register.)
; RUN: %opt-confine -passes='cgscc(inline)' -S %s | %FileCheck %s --check-prefix=FREE
; RUN: %opt-confine -passes='ksimd-confine,cgscc(inline)' -S %s | %FileCheck %s --implicit-check-not='call i32 @on_'
target triple = "x86_64-unknown-linux-gnu"

define i32 @on_sse(i32 %x) "target-features"="+sse" {
  %y = xor i32 %x, 1
  ret i32 %y
}
define i32 @on_sse2(i32 %x) "target-features"="+sse2" {
  %y = xor i32 %x, 2
  ret i32 %y
}
define i32 @on_sse3(i32 %x) "target-features"="+sse3" {
  %y = xor i32 %x, 3
  ret i32 %y
}
define i32 @on_ssse3(i32 %x) "target-features"="+ssse3" {
  %y = xor i32 %x, 4
  ret i32 %y
}
define i32 @on_sse4_1(i32 %x) "target-features"="+sse4.1" {
  %y = xor i32 %x, 5
  ret i32 %y
}
define i32 @on_sse4_2(i32 %x) "target-features"="+sse4.2" {
  %y = xor i32 %x, 6
  ret i32 %y
}
define i32 @on_sse4a(i32 %x) "target-features"="+sse4a" {
  %y = xor i32 %x, 7
  ret i32 %y
}
define i32 @on_aes(i32 %x) "target-features"="+aes" {
  %y = xor i32 %x, 8
  ret i32 %y
}
define i32 @on_pclmul(i32 %x) "target-features"="+pclmul" {
  %y = xor i32 %x, 9
  ret i32 %y
}
define i32 @on_sha(i32 %x) "target-features"="+sha" {
  %y = xor i32 %x, 10
  ret i32 %y
}
define i32 @on_gfni(i32 %x) "target-features"="+gfni" {
  %y = xor i32 %x, 11
  ret i32 %y
}
define i32 @on_avx(i32 %x) "target-features"="+avx" {
  %y = xor i32 %x, 12
  ret i32 %y
}
define i32 @on_avx2(i32 %x) "target-features"="+avx2" {
  %y = xor i32 %x, 13
  ret i32 %y
}
define i32 @on_f16c(i32 %x) "target-features"="+f16c" {
  %y = xor i32 %x, 14
  ret i32 %y
}
define i32 @on_fma(i32 %x) "target-features"="+fma" {
  %y = xor i32 %x, 15
  ret i32 %y
}
define i32 @on_fma4(i32 %x) "target-features"="+fma4" {
  %y = xor i32 %x, 16
  ret i32 %y
}
define i32 @on_xop(i32 %x) "target-features"="+xop" {
  %y = xor i32 %x, 17
  ret i32 %y
}
define i32 @on_avxvnni(i32 %x) "target-features"="+avxvnni" {
  %y = xor i32 %x, 18
  ret i32 %y
}
define i32 @on_avxvnniint8(i32 %x) "target-features"="+avxvnniint8" {
  %y = xor i32 %x, 19
  ret i32 %y
}
define i32 @on_avxvnniint16(i32 %x) "target-features"="+avxvnniint16" {
  %y = xor i32 %x, 20
  ret i32 %y
}
define i32 @on_avxifma(i32 %x) "target-features"="+avxifma" {
  %y = xor i32 %x, 21
  ret i32 %y
}
define i32 @on_avxneconvert(i32 %x) "target-features"="+avxneconvert" {
  %y = xor i32 %x, 22
  ret i32 %y
}
define i32 @on_vaes(i32 %x) "target-features"="+vaes" {
  %y = xor i32 %x, 23
  ret i32 %y
}
define i32 @on_vpclmulqdq(i32 %x) "target-features"="+vpclmulqdq" {
  %y = xor i32 %x, 24
  ret i32 %y
}
define i32 @on_avx512f(i32 %x) "target-features"="+avx512f" {
  %y = xor i32 %x, 25
  ret i32 %y
}
define i32 @on_avx512vl(i32 %x) "target-features"="+avx512vl" {
  %y = xor i32 %x, 26
  ret i32 %y
}
define i32 @on_avx512bw(i32 %x) "target-features"="+avx512bw" {
  %y = xor i32 %x, 27
  ret i32 %y
}
define i32 @on_avx512dq(i32 %x) "target-features"="+avx512dq" {
  %y = xor i32 %x, 28
  ret i32 %y
}
define i32 @on_avx512cd(i32 %x) "target-features"="+avx512cd" {
  %y = xor i32 %x, 29
  ret i32 %y
}
define i32 @on_avx512ifma(i32 %x) "target-features"="+avx512ifma" {
  %y = xor i32 %x, 30
  ret i32 %y
}
define i32 @on_avx512vbmi(i32 %x) "target-features"="+avx512vbmi" {
  %y = xor i32 %x, 31
  ret i32 %y
}
define i32 @on_avx512vbmi2(i32 %x) "target-features"="+avx512vbmi2" {
  %y = xor i32 %x, 32
  ret i32 %y
}
define i32 @on_avx512vnni(i32 %x) "target-features"="+avx512vnni" {
  %y = xor i32 %x, 33
  ret i32 %y
}
define i32 @on_avx512bitalg(i32 %x) "target-features"="+avx512bitalg" {
  %y = xor i32 %x, 34
  ret i32 %y
}
define i32 @on_avx512vpopcntdq(i32 %x) "target-features"="+avx512vpopcntdq" {
  %y = xor i32 %x, 35
  ret i32 %y
}
define i32 @on_avx512vp2intersect(i32 %x) "target-features"="+avx512vp2intersect" {
  %y = xor i32 %x, 36
  ret i32 %y
}
define i32 @on_avx512bf16(i32 %x) "target-features"="+avx512bf16" {
  %y = xor i32 %x, 37
  ret i32 %y
}
define i32 @on_avx512fp16(i32 %x) "target-features"="+avx512fp16" {
  %y = xor i32 %x, 38
  ret i32 %y
}
define i32 @on_avx10_1_256(i32 %x) "target-features"="+avx10.1-256" {
  %y = xor i32 %x, 39
  ret i32 %y
}
define i32 @on_avx10_1_512(i32 %x) "target-features"="+avx10.1-512" {
  %y = xor i32 %x, 40
  ret i32 %y
}
define i32 @on_amx_tile(i32 %x) "target-features"="+amx-tile" {
  %y = xor i32 %x, 41
  ret i32 %y
}
define i32 @on_amx_int8(i32 %x) "target-features"="+amx-int8" {
  %y = xor i32 %x, 42
  ret i32 %y
}
define i32 @on_amx_bf16(i32 %x) "target-features"="+amx-bf16" {
  %y = xor i32 %x, 43
  ret i32 %y
}
define i32 @on_amx_fp16(i32 %x) "target-features"="+amx-fp16" {
  %y = xor i32 %x, 44
  ret i32 %y
}
define i32 @on_amx_complex(i32 %x) "target-features"="+amx-complex" {
  %y = xor i32 %x, 45
  ret i32 %y
}
define i32 @on_kl(i32 %x) "target-features"="+kl" {
  %y = xor i32 %x, 46
  ret i32 %y
}
define i32 @on_widekl(i32 %x) "target-features"="+widekl" {
  %y = xor i32 %x, 47
  ret i32 %y
}
define i32 @on_sha512(i32 %x) "target-features"="+sha512" {
  %y = xor i32 %x, 48
  ret i32 %y
}
define i32 @on_sm3(i32 %x) "target-features"="+sm3" {
  %y = xor i32 %x, 49
  ret i32 %y
}
define i32 @on_sm4(i32 %x) "target-features"="+sm4" {
  %y = xor i32 %x, 50
  ret i32 %y
}
define i32 @on_x87(i32 %x) "target-features"="+x87" {
  %y = xor i32 %x, 51
  ret i32 %y
}
define i32 @on_mmx(i32 %x) "target-features"="+mmx" {
  %y = xor i32 %x, 52
  ret i32 %y
}

; FREE-LABEL: define i32 @none(
; FREE: call i32 @on_sse(
; FREE: call i32 @on_sse2(
; FREE: call i32 @on_sse3(
; FREE: call i32 @on_ssse3(
; FREE: call i32 @on_sse4_1(
; FREE: call i32 @on_sse4_2(
; FREE: call i32 @on_sse4a(
; FREE: call i32 @on_aes(
; FREE: call i32 @on_pclmul(
; FREE: call i32 @on_sha(
; FREE: call i32 @on_gfni(
; FREE: call i32 @on_avx(
; FREE: call i32 @on_avx2(
; FREE: call i32 @on_f16c(
; FREE: call i32 @on_fma(
; FREE: call i32 @on_fma4(
; FREE: call i32 @on_xop(
; FREE: call i32 @on_avxvnni(
; FREE: call i32 @on_avxvnniint8(
; FREE: call i32 @on_avxvnniint16(
; FREE: call i32 @on_avxifma(
; FREE: call i32 @on_avxneconvert(
; FREE: call i32 @on_vaes(
; FREE: call i32 @on_vpclmulqdq(
; FREE: call i32 @on_avx512f(
; FREE: call i32 @on_avx512vl(
; FREE: call i32 @on_avx512bw(
; FREE: call i32 @on_avx512dq(
; FREE: call i32 @on_avx512cd(
; FREE: call i32 @on_avx512ifma(
; FREE: call i32 @on_avx512vbmi(
; FREE: call i32 @on_avx512vbmi2(
; FREE: call i32 @on_avx512vnni(
; FREE: call i32 @on_avx512bitalg(
; FREE: call i32 @on_avx512vpopcntdq(
; FREE: call i32 @on_avx512vp2intersect(
; FREE: call i32 @on_avx512bf16(
; FREE: call i32 @on_avx512fp16(
; FREE: call i32 @on_avx10_1_256(
; FREE: call i32 @on_avx10_1_512(
; FREE: call i32 @on_amx_tile(
; FREE: call i32 @on_amx_int8(
; FREE: call i32 @on_amx_bf16(
; FREE: call i32 @on_amx_fp16(
; FREE: call i32 @on_amx_complex(
; FREE: call i32 @on_kl(
; FREE: call i32 @on_widekl(
; FREE: call i32 @on_sha512(
; FREE: call i32 @on_sm3(
; FREE: call i32 @on_sm4(
; FREE: call i32 @on_x87(
; FREE: call i32 @on_mmx(
; CHECK-LABEL: define i32 @none(
define i32 @none(i32 %x0) "target-features"="+evex512,-sse,-sse2,-sse3,-ssse3,-sse4.1,-sse4.2,-sse4a,-aes,-pclmul,-sha,-gfni,-avx,-avx2,-f16c,-fma,-fma4,-xop,-avxvnni,-avxvnniint8,-avxvnniint16,-avxifma,-avxneconvert,-vaes,-vpclmulqdq,-avx512f,-avx512vl,-avx512bw,-avx512dq,-avx512cd,-avx512ifma,-avx512vbmi,-avx512vbmi2,-avx512vnni,-avx512bitalg,-avx512vpopcntdq,-avx512vp2intersect,-avx512bf16,-avx512fp16,-avx10.1-256,-avx10.1-512,-amx-tile,-amx-int8,-amx-bf16,-amx-fp16,-amx-complex,-kl,-widekl,-sha512,-sm3,-sm4,-x87,-mmx" {
  %x1 = call i32 @on_sse(i32 %x0)
  %x2 = call i32 @on_sse2(i32 %x1)
  %x3 = call i32 @on_sse3(i32 %x2)
  %x4 = call i32 @on_ssse3(i32 %x3)
  %x5 = call i32 @on_sse4_1(i32 %x4)
  %x6 = call i32 @on_sse4_2(i32 %x5)
  %x7 = call i32 @on_sse4a(i32 %x6)
  %x8 = call i32 @on_aes(i32 %x7)
  %x9 = call i32 @on_pclmul(i32 %x8)
  %x10 = call i32 @on_sha(i32 %x9)
  %x11 = call i32 @on_gfni(i32 %x10)
  %x12 = call i32 @on_avx(i32 %x11)
  %x13 = call i32 @on_avx2(i32 %x12)
  %x14 = call i32 @on_f16c(i32 %x13)
  %x15 = call i32 @on_fma(i32 %x14)
  %x16 = call i32 @on_fma4(i32 %x15)
  %x17 = call i32 @on_xop(i32 %x16)
  %x18 = call i32 @on_avxvnni(i32 %x17)
  %x19 = call i32 @on_avxvnniint8(i32 %x18)
  %x20 = call i32 @on_avxvnniint16(i32 %x19)
  %x21 = call i32 @on_avxifma(i32 %x20)
  %x22 = call i32 @on_avxneconvert(i32 %x21)
  %x23 = call i32 @on_vaes(i32 %x22)
  %x24 = call i32 @on_vpclmulqdq(i32 %x23)
  %x25 = call i32 @on_avx512f(i32 %x24)
  %x26 = call i32 @on_avx512vl(i32 %x25)
  %x27 = call i32 @on_avx512bw(i32 %x26)
  %x28 = call i32 @on_avx512dq(i32 %x27)
  %x29 = call i32 @on_avx512cd(i32 %x28)
  %x30 = call i32 @on_avx512ifma(i32 %x29)
  %x31 = call i32 @on_avx512vbmi(i32 %x30)
  %x32 = call i32 @on_avx512vbmi2(i32 %x31)
  %x33 = call i32 @on_avx512vnni(i32 %x32)
  %x34 = call i32 @on_avx512bitalg(i32 %x33)
  %x35 = call i32 @on_avx512vpopcntdq(i32 %x34)
  %x36 = call i32 @on_avx512vp2intersect(i32 %x35)
  %x37 = call i32 @on_avx512bf16(i32 %x36)
  %x38 = call i32 @on_avx512fp16(i32 %x37)
  %x39 = call i32 @on_avx10_1_256(i32 %x38)
  %x40 = call i32 @on_avx10_1_512(i32 %x39)
  %x41 = call i32 @on_amx_tile(i32 %x40)
  %x42 = call i32 @on_amx_int8(i32 %x41)
  %x43 = call i32 @on_amx_bf16(i32 %x42)
  %x44 = call i32 @on_amx_fp16(i32 %x43)
  %x45 = call i32 @on_amx_complex(i32 %x44)
  %x46 = call i32 @on_kl(i32 %x45)
  %x47 = call i32 @on_widekl(i32 %x46)
  %x48 = call i32 @on_sha512(i32 %x47)
  %x49 = call i32 @on_sm3(i32 %x48)
  %x50 = call i32 @on_sm4(i32 %x49)
  %x51 = call i32 @on_x87(i32 %x50)
  %x52 = call i32 @on_mmx(i32 %x51)
  ret i32 %x52
}
