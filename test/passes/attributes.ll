; An outlined function is built, traced and unwound as the one it comes from,
; and cannot be inlined or taken for a pure one.
; RUN: %opt-confine -passes=ksimd-confine -S %s | %FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)

; CHECK: define void @f(ptr noalias align 16 %p, ptr %q, i32 %n)
; CHECK-SAME: #[[BRACKET:[0-9]+]] section ".text.hot" partition "part" align 32
; CHECK: call void @fpu_kern_enter
; CHECK: call void @f.region(
; CHECK-NOT: <4 x i32>
; CHECK: call i32 @fpu_kern_leave
; CHECK: ret void
define void @f(ptr noalias align 16 %p, ptr %q, i32 %n) #0 section ".text.hot" partition "part" align 32 {
  %local = alloca [4 x i32], align 16
  call void @fpu_kern_enter(ptr %q, ptr %q, i32 0)
  %a = insertelement <4 x i32> poison, i32 %n, i32 0
  %v = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> zeroinitializer
  store <4 x i32> %v, ptr %p, align 16
  store <4 x i32> %v, ptr %local, align 16
  store <4 x i32> %v, ptr %q, align 4
  %r = call i32 @fpu_kern_leave(ptr %q, ptr %q)
  ret void
}

; CHECK: define internal void @f.region(
; CHECK-SAME: i32 %n
; CHECK-SAME: ptr noalias align 16 %p
; CHECK-SAME: ptr noalias nonnull align 16 dereferenceable(16) %local
; CHECK-SAME: #[[INSIDE:[0-9]+]] section ".text.hot" partition "part" align 32
; CHECK: call void asm sideeffect "", "~{memory}"()
; CHECK: store <4 x i32>

; A function at -O0 stays one.
; CHECK: define internal void @g.region({{.*}} #[[O0:[0-9]+]]
define void @g(ptr %p, i32 %n) #1 {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %a = insertelement <4 x i32> poison, i32 %n, i32 0
  store <4 x i32> %a, ptr %p, align 4
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret void
}

; CHECK-DAG: attributes #[[BRACKET]] = { noimplicitfloat noredzone nounwind sspstrong uwtable "ksimd"="outside" "min-legal-vector-width"="0" "patchable-function-entry"="2" "target-cpu"="x86-64" "target-features"="+sse2,+x87,-x87,-mmx,-sse,-amx-tile" "use-soft-float"="true" }
; CHECK-DAG: attributes #[[INSIDE]] = { noinline noredzone nounwind sspstrong uwtable "ksimd"="region" "min-legal-vector-width"="128" "patchable-function-entry"="2" "prefer-vector-width"="128" "target-cpu"="x86-64" "target-features"="+sse2,+x87" }
; CHECK-DAG: attributes #[[O0]] = { noinline optnone "ksimd"="region" "target-features"="+sse2" }
attributes #0 = { nounwind noredzone sspstrong uwtable "patchable-function-entry"="2" "target-cpu"="x86-64" "target-features"="+sse2,+x87" "min-legal-vector-width"="128" "prefer-vector-width"="128" }
attributes #1 = { noinline optnone "target-features"="+sse2" }
