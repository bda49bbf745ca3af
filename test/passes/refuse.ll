; What no C source has, but other languages and IR do, is refused, too.
; RUN: %split-file %s %t
; RUN: %not %opt-confine -passes=ksimd-confine -S %t/naked.ll 2>&1 | %FileCheck %s --check-prefix=NAKED
; RUN: %not %opt-confine -passes=ksimd-confine -S %t/coroutine.ll 2>&1 | %FileCheck %s --check-prefix=COROUTINE
; RUN: %not %opt-confine -passes=ksimd-confine -S %t/invoke.ll 2>&1 | %FileCheck %s --check-prefix=INVOKE
; RUN: %not %opt-confine -passes=ksimd-confine -S %t/callbr.ll 2>&1 | %FileCheck %s --check-prefix=CALLBR

;--- naked.ll
; NAKED: error: {{.*}}region in a naked function in 'f'
target triple = "x86_64-unknown-linux-gnu"
declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)
define void @f() naked {
  call void @fpu_kern_enter(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr), i32 0)
  call void asm sideeffect "pxor %xmm0, %xmm0", "~{xmm0}"()
  %r = call i32 @fpu_kern_leave(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr))
  unreachable
}

;--- coroutine.ll
; COROUTINE: error: {{.*}}region in a coroutine in 'f'
target triple = "x86_64-unknown-linux-gnu"
declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)
define void @f(ptr %p) presplitcoroutine {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  store double 1.0, ptr %p
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret void
}

;--- invoke.ll
; INVOKE: error: {{.*}}exception handling in a region in 'f'
target triple = "x86_64-unknown-linux-gnu"
declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)
declare void @g(ptr)
declare i32 @__gxx_personality_v0(...)
define void @f(ptr %p) personality ptr @__gxx_personality_v0 {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  store double 1.0, ptr %p
  invoke void @g(ptr %p) to label %on unwind label %pad
on:
  store double 2.0, ptr %p
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  %s = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  resume { ptr, i32 } %l
}

;--- callbr.ll
; CALLBR: error: {{.*}}float or vector is the result of a jump in 'f'
target triple = "x86_64-unknown-linux-gnu"
declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)
define void @f(ptr %p) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %v = callbr <2 x i64> asm sideeffect "# $0 $1", "=x,!i"() to label %on [label %other]
on:
  store <2 x i64> %v, ptr %p
  br label %other
other:
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret void
}
