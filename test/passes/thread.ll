; What is joined only to be split by a constant is taken apart; what would need
; more than a copy of one block stays.
; RUN: %opt-confine -passes=ksimd-confine,verify -S %s | %FileCheck %s
; SPDX-License-Identifier: BSD-2-Clause
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @other(i32)
declare i64 @llvm.expect.i64(i64, i64)
declare void @llvm.lifetime.end.p0(i64, ptr)

; Both ways store the number that leads out of the scope.
; CHECK-LABEL: define i32 @scope(
; CHECK-NOT: switch
; CHECK: }
define i32 @scope(i32 %n) {
  %dest = alloca i32
  %x = alloca i32
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %dest
  br label %cleanup
b:
  store i32 0, ptr %dest
  br label %cleanup
cleanup:
  call void @llvm.lifetime.end.p0(i64 4, ptr %x)
  %d = load i32, ptr %dest
  switch i32 %d, label %out [ i32 0, label %go ]
go:
  %r = call i32 @other(i32 %n)
  br label %out
out:
  %v = phi i32 [ 0, %cleanup ], [ %r, %go ]
  ret i32 %v
}

; Only the side that is a constant has its own way; the PHI behind it is told.
; CHECK-LABEL: define i32 @both(
; CHECK: br i1 %a, label %right, label %[[COPY:[0-9a-z.]+]]
; CHECK: join:
; CHECK: br i1 %{{.*}}, label %yes, label %no
; CHECK: no:
; CHECK-NEXT: phi i32 [ 3, %join ], [ 2, %yes ], [ 3, %[[COPY]] ]
; CHECK: [[COPY]]:
; CHECK-NOT: br i1
; CHECK: br label %no
define i32 @both(i1 %a, i1 %b) {
  br i1 %a, label %right, label %join
right:
  %n = call i32 @other(i32 1)
  %m = icmp ne i32 %n, 0
  br label %join
join:
  %p = phi i1 [ false, %0 ], [ %m, %right ]
  %x = xor i1 %p, true
  %y = xor i1 %x, true
  %z = zext i1 %y to i64
  %e = call i64 @llvm.expect.i64(i64 %z, i64 0)
  %t = icmp ne i64 %e, 0
  br i1 %t, label %yes, label %no
yes:
  %q = call i32 @other(i32 2)
  br label %no
no:
  %v = phi i32 [ 3, %join ], [ 2, %yes ]
  ret i32 %v
}

; The value is used elsewhere, too.
; CHECK-LABEL: define i32 @used(
; CHECK: %p = phi i32 [ 0, %0 ], [ %n, %right ]
; CHECK: ret i32 %p
define i32 @used(i1 %a) {
  br i1 %a, label %right, label %join
right:
  %n = call i32 @other(i32 1)
  br label %join
join:
  %p = phi i32 [ 0, %0 ], [ %n, %right ]
  %t = icmp ne i32 %p, 0
  br i1 %t, label %yes, label %no
yes:
  %q = call i32 @other(i32 2)
  br label %no
no:
  ret i32 %p
}

; A loop keeps its one head.
; CHECK-LABEL: define void @loop(
; CHECK: br label %head
; CHECK: head:
; CHECK-NEXT: phi i32 [ 0, %{{.*}} ], [ %{{.*}}, %body ]
; CHECK-NEXT: icmp ult
define void @loop() {
  %i = alloca i32
  store i32 0, ptr %i
  br label %head
head:
  %n = load i32, ptr %i
  %c = icmp ult i32 %n, 8
  br i1 %c, label %body, label %out
body:
  %m = call i32 @other(i32 %n)
  store i32 %m, ptr %i
  br label %head
out:
  ret void
}

; The last store of one way is in a block before; the other's is no constant.
; CHECK-LABEL: define i32 @before(
; CHECK: join:
; CHECK-NEXT: icmp eq i32 %n, 7
; CHECK: call i32 @other(i32 3)
define i32 @before(i1 %a, i32 %n) {
  %x = alloca i32
  store i32 7, ptr %x
  br i1 %a, label %right, label %left
left:
  %l = call i32 @other(i32 1)
  br label %join
right:
  store i32 %n, ptr %x
  br label %join
join:
  %v = load i32, ptr %x
  %c = icmp eq i32 %v, 7
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  %r = call i32 @other(i32 3)
  ret i32 %r
}
