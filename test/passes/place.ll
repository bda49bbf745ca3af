; A call to another file's function stays between enter and leave: to the
; compiler it does anything, as they do.  It is moved where that is not so, or
; where LTO looks through it; and with the address of a local, as every other
; function with one is.
; RUN: %opt-confine -passes=ksimd-confine -S %s | %FileCheck %s
; RUN: cp %s %t.ll
; RUN: echo '!llvm.module.flags = !{!0}' >> %t.ll
; RUN: echo '!0 = !{i32 1, !"EnableSplitLTOUnit", i32 0}' >> %t.ll
; RUN: %opt-confine -passes=ksimd-confine -S %t.ll | %FileCheck %s --check-prefix=LTO
; What clang says of LTO.
; RUN: echo 'void fpu_kern_enter(void); int fpu_kern_leave(void); void g(int);' \
; RUN:   'void f(void) { fpu_kern_enter(); g(1); fpu_kern_leave(); }' > %t.c
; RUN: %clang -O2 -flto=thin %confine -c %t.c -o - | llvm-dis | %FileCheck %s --check-prefix=BITCODE
; RUN: %clang -O2 -flto=full %confine -c %t.c -o - | llvm-dis | %FileCheck %s --check-prefix=BITCODE
; BITCODE: call {{.*}}void @f.region()
; BITCODE: define internal {{.*}}void @f.region(){{.*}} {
; RUN: %clang -O2 %confine -S -emit-llvm %t.c -o - | %FileCheck %s --check-prefix=CODE
; CODE-LABEL: define {{.*}}void @f()
; CODE: call void @fpu_kern_enter()
; CODE-NEXT: call void @g(i32 noundef 1)
; CODE-NEXT: call i32 @fpu_kern_leave()
target triple = "x86_64-unknown-linux-gnu"

declare void @fpu_kern_enter(ptr, ptr, i32)
declare i32 @fpu_kern_leave(ptr, ptr)
declare i32 @work(i32, ptr)
declare i32 @pure(i32) memory(none)
declare i32 @reads(ptr) memory(argmem: read)

; CHECK-LABEL: define i32 @stays(
; CHECK: call void @fpu_kern_enter
; CHECK: call i32 @work(i32 %x, ptr %p) #[[STAYS:[0-9]+]]
; CHECK: call i32 @fpu_kern_leave
; LTO-LABEL: define i32 @stays(
; LTO: call void @stays.region(
define i32 @stays(ptr %p, i32 %x) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 @work(i32 %x, ptr %p)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK-LABEL: define i32 @moved_pure(
; CHECK: call {{.*}} @moved_pure.region(
define i32 @moved_pure(ptr %p, i32 %x) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 @pure(i32 %x)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK-LABEL: define i32 @moved_reads(
; CHECK: call {{.*}} @moved_reads.region(
define i32 @moved_reads(ptr %p) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 @reads(ptr %p)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK-LABEL: define i32 @moved_at_call(
; CHECK: call {{.*}} @moved_at_call.region(
define i32 @moved_at_call(ptr %p, i32 %x) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 @work(i32 %x, ptr %p) memory(argmem: read)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK-LABEL: define i32 @moved_local(
; CHECK: call {{.*}} @moved_local.region(
define i32 @moved_local(ptr %p, i32 %x) {
  %iv = alloca [16 x i8]
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 @work(i32 %x, ptr %iv)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK-LABEL: define i32 @moved_pointer(
; CHECK: call {{.*}} @moved_pointer.region(
define i32 @moved_pointer(ptr %p, ptr %f) {
  call void @fpu_kern_enter(ptr %p, ptr %p, i32 0)
  %y = call i32 %f(i32 0)
  %r = call i32 @fpu_kern_leave(ptr %p, ptr %p)
  ret i32 %y
}

; CHECK: attributes #[[STAYS]] = {{{.*}}nomerge
