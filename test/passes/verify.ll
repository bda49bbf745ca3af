; What another pass has broken after confining is an error, never an object.
; RUN: %split-file %s %t
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/attributes.ll 2>&1 | %FileCheck %s --check-prefix=LOST
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/float.ll 2>&1 | %FileCheck %s --check-prefix=FLOAT
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/call.ll 2>&1 | %FileCheck %s --check-prefix=CALL
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/param.ll 2>&1 | %FileCheck %s --check-prefix=PARAM
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/inline.ll 2>&1 | %FileCheck %s --check-prefix=INLINE
; RUN: %not %opt-confine -passes=ksimd-verify -S %t/new.ll 2>&1 | %FileCheck %s --check-prefix=NEW
; RUN: %opt-confine -passes=ksimd-verify -S %t/good.ll | %FileCheck %s --check-prefix=GOOD

;--- attributes.ll
; LOST: error: {{.*}}attributes that confine are lost in 'f'
target triple = "x86_64-unknown-linux-gnu"
define void @f() #0 {
  ret void
}
attributes #0 = { noimplicitfloat "ksimd"="outside" "target-features"="+sse2" "use-soft-float"="true" }

;--- float.ll
; FLOAT: error: {{.*}}SIMD outside a region, made by the compiler in 'f'
target triple = "x86_64-unknown-linux-gnu"
define void @f(ptr %p) #0 {
  store double 1.0, ptr %p
  ret void
}
attributes #0 = { noimplicitfloat "ksimd"="outside" "target-features"="-x87,-mmx,-sse,-amx-tile" "use-soft-float"="true" }

;--- call.ll
; CALL: error: {{.*}}'g', which needs a region, is called outside in 'f'
target triple = "x86_64-unknown-linux-gnu"
define void @f(ptr %p) #0 {
  call void @g(ptr %p)
  ret void
}
define void @g(ptr %p) #1 {
  store <2 x i64> zeroinitializer, ptr %p
  ret void
}
attributes #0 = { noimplicitfloat "ksimd"="outside" "target-features"="-x87,-mmx,-sse,-amx-tile" "use-soft-float"="true" }
attributes #1 = { "ksimd"="inside" "target-features"="+sse2" }

;--- param.ll
; PARAM: error: {{.*}}float or vector parameter outside a region in 'f'
target triple = "x86_64-unknown-linux-gnu"
define void @f(double %d) #0 {
  ret void
}
attributes #0 = { noimplicitfloat "ksimd"="outside" "target-features"="-x87,-mmx,-sse,-amx-tile" "use-soft-float"="true" }

;--- inline.ll
; INLINE: error: {{.*}}region may be inlined in 'f.region'
target triple = "x86_64-unknown-linux-gnu"
define void @f.region() #0 {
  ret void
}
attributes #0 = { "ksimd"="region" }

;--- new.ll
; NEW: error: {{.*}}SIMD in a function that appeared after confining in 'f'
target triple = "x86_64-unknown-linux-gnu"
define void @f(ptr %p) {
  store double 1.0, ptr %p
  ret void
}

;--- good.ll
; A constructor that came later is confined, too; integer vectors are worked
; on element by element.
; GOOD: define internal void @ctor() #[[OUT:[0-9]+]]
; GOOD: define void @f(ptr %p) #{{[0-9]+}}
; GOOD: attributes #[[OUT]] = { noimplicitfloat "ksimd"="outside"{{.*}}"use-soft-float"="true" }
target triple = "x86_64-unknown-linux-gnu"
define internal void @ctor() {
  ret void
}
define void @f(ptr %p) #0 {
  store <2 x i64> zeroinitializer, ptr %p
  ret void
}
attributes #0 = { noimplicitfloat "ksimd"="outside" "target-features"="-x87,-mmx,-sse,-amx-tile" "use-soft-float"="true" }
