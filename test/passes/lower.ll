; What Clang seldom makes: aliases, resolvers, assumptions, assembly.
; RUN: %opt -load-pass-plugin=%pass -ksimd-profile=linux -passes='print<ksimd>' -disable-output %s 2>/dev/null | %FileCheck %s
; SPDX-License-Identifier: BSD-2-Clause
target triple = "x86_64-unknown-linux-gnu"

declare void @kernel_fpu_begin()
declare void @kernel_fpu_end()
declare void @llvm.assume(i1)
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

; CHECK-DAG: needs: inside, called inside
define void @needs(ptr %p) {
  store double 1.0, ptr %p
  ret void
}
@also = alias void (ptr), ptr @needs

; CHECK-DAG: by_alias: inside
define void @by_alias(ptr %p) {
  call void @also(ptr %p)
  ret void
}

define internal ptr @resolve() {
  ret ptr @needs
}
@chosen = ifunc void (ptr), ptr @resolve

; CHECK-DAG: by_ifunc: inside
define void @by_ifunc(ptr %p) {
  call void @chosen(ptr %p)
  ret void
}

; CHECK-DAG: assumed: bracket
define void @assumed(i32 %n, ptr %p) {
  %c = icmp eq i32 %n, 3
  call void @llvm.assume(i1 %c)
  br i1 %c, label %in, label %go
in:
  call void @kernel_fpu_begin()
  br label %go
go:
  store double 1.0, ptr %p
  %d = icmp ugt i32 %n, 2
  br i1 %d, label %out, label %end
out:
  call void @kernel_fpu_end()
  br label %end
end:
  ret void
}

; CHECK-DAG: selected: bracket
define void @selected(i32 %n, ptr %p) {
  %c = icmp eq i32 %n, 3
  %s = select i1 %c, i32 7, i32 9
  %d = icmp eq i32 %s, 7
  br i1 %d, label %in, label %end
in:
  call void @kernel_fpu_begin()
  store double 1.0, ptr %p
  %e = icmp eq i32 %n, 3
  br i1 %e, label %out, label %end
out:
  call void @kernel_fpu_end()
  br label %end
end:
  ret void
}

; CHECK-DAG: saves: free
define void @saves(ptr %p) {
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  ret void
}

; CHECK-DAG: loads: inside
define void @loads(ptr %p) {
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}

; What Clang adds to each assembly is no state.
; CHECK-DAG: plain: free
define void @plain() {
  call void asm sideeffect "pause", "~{memory},~{dirflag},~{fpsr},~{flags}"()
  ret void
}

; CHECK-DAG: clobbers: inside
define void @clobbers() {
  call void asm sideeffect "", "~{xmm3},~{dirflag},~{fpsr},~{flags}"()
  ret void
}

; CHECK-DAG: in_text: inside
define void @in_text(ptr %p) {
  call void asm sideeffect "movdqa ($0), %xmm1", "r"(ptr %p)
  ret void
}

; CHECK-DAG: mnemonic: inside
define void @mnemonic(ptr %p) {
  call void asm sideeffect "1: fildl ($0)", "r"(ptr %p)
  ret void
}

; Integers in vectors are no state where the registers are off.
; CHECK-DAG: scalar: free
define void @scalar(ptr %p) "target-features"="-mmx,-sse,-sse2" {
  store <4 x i32> zeroinitializer, ptr %p
  ret void
}

; Nothing is known of unreachable code, and it asks for nothing.
; CHECK-DAG: dead: free
define void @dead(ptr %p) {
  ret void
x:
  store double 1.0, ptr %p
  br label %x
}
