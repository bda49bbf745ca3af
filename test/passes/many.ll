; Tables of many functions: what is said of each is kept while the list of
; symbols grows.
; RUN: %opt -load-pass-plugin=%pass -ksimd-profile=linux -passes='print<ksimd>' -disable-output %s | %FileCheck %s
; SPDX-License-Identifier: BSD-2-Clause
target triple = "x86_64-unknown-linux-gnu"

@ops = internal constant [70 x ptr] [
  ptr @op0,
  ptr @op1,
  ptr @op2,
  ptr @op3,
  ptr @op4,
  ptr @op5,
  ptr @op6,
  ptr @op7,
  ptr @op8,
  ptr @op9,
  ptr @op10,
  ptr @op11,
  ptr @op12,
  ptr @op13,
  ptr @op14,
  ptr @op15,
  ptr @op16,
  ptr @op17,
  ptr @op18,
  ptr @op19,
  ptr @op20,
  ptr @op21,
  ptr @op22,
  ptr @op23,
  ptr @op24,
  ptr @op25,
  ptr @op26,
  ptr @op27,
  ptr @op28,
  ptr @op29,
  ptr @op30,
  ptr @op31,
  ptr @op32,
  ptr @op33,
  ptr @op34,
  ptr @op35,
  ptr @op36,
  ptr @op37,
  ptr @op38,
  ptr @op39,
  ptr @op40,
  ptr @op41,
  ptr @op42,
  ptr @op43,
  ptr @op44,
  ptr @op45,
  ptr @op46,
  ptr @op47,
  ptr @op48,
  ptr @op49,
  ptr @op50,
  ptr @op51,
  ptr @op52,
  ptr @op53,
  ptr @op54,
  ptr @op55,
  ptr @op56,
  ptr @op57,
  ptr @op58,
  ptr @op59,
  ptr @op60,
  ptr @op61,
  ptr @op62,
  ptr @op63,
  ptr @op64,
  ptr @op65,
  ptr @op66,
  ptr @op67,
  ptr @op68,
  ptr @op69]

declare void @op0()
declare void @op1()
declare void @op2()
declare void @op3()
declare void @op4()
declare void @op5()
declare void @op6()
declare void @op7()
declare void @op8()
declare void @op9()
declare void @op10()
declare void @op11()
declare void @op12()
declare void @op13()
declare void @op14()
declare void @op15()
declare void @op16()
declare void @op17()
declare void @op18()
declare void @op19()
declare void @op20()
declare void @op21()
declare void @op22()
declare void @op23()
declare void @op24()
declare void @op25()
declare void @op26()
declare void @op27()
declare void @op28()
declare void @op29()
declare void @op30()
declare void @op31()
declare void @op32()
declare void @op33()
declare void @op34()
declare void @op35()
declare void @op36()
declare void @op37()
declare void @op38()
declare void @op39()
declare void @op40()
declare void @op41()
declare void @op42()
declare void @op43()
declare void @op44()
declare void @op45()
declare void @op46()
declare void @op47()
declare void @op48()
declare void @op49()
declare void @op50()
declare void @op51()
declare void @op52()
declare void @op53()
declare void @op54()
declare void @op55()
declare void @op56()
declare void @op57()
declare void @op58()
declare void @op59()
declare void @op60()
declare void @op61()
declare void @op62()
declare void @op63()
declare void @op64()
declare void @op65()
declare void @op66()
declare void @op67()
declare void @op68()
declare void @op69()

; CHECK-DAG: sym op0 addr-taken
; CHECK-DAG: sym op1 addr-taken
; CHECK-DAG: sym op2 addr-taken
; CHECK-DAG: sym op3 addr-taken
; CHECK-DAG: sym op4 addr-taken
; CHECK-DAG: sym op5 addr-taken
; CHECK-DAG: sym op6 addr-taken
; CHECK-DAG: sym op7 addr-taken
; CHECK-DAG: sym op8 addr-taken
; CHECK-DAG: sym op9 addr-taken
; CHECK-DAG: sym op10 addr-taken
; CHECK-DAG: sym op11 addr-taken
; CHECK-DAG: sym op12 addr-taken
; CHECK-DAG: sym op13 addr-taken
; CHECK-DAG: sym op14 addr-taken
; CHECK-DAG: sym op15 addr-taken
; CHECK-DAG: sym op16 addr-taken
; CHECK-DAG: sym op17 addr-taken
; CHECK-DAG: sym op18 addr-taken
; CHECK-DAG: sym op19 addr-taken
; CHECK-DAG: sym op20 addr-taken
; CHECK-DAG: sym op21 addr-taken
; CHECK-DAG: sym op22 addr-taken
; CHECK-DAG: sym op23 addr-taken
; CHECK-DAG: sym op24 addr-taken
; CHECK-DAG: sym op25 addr-taken
; CHECK-DAG: sym op26 addr-taken
; CHECK-DAG: sym op27 addr-taken
; CHECK-DAG: sym op28 addr-taken
; CHECK-DAG: sym op29 addr-taken
; CHECK-DAG: sym op30 addr-taken
; CHECK-DAG: sym op31 addr-taken
; CHECK-DAG: sym op32 addr-taken
; CHECK-DAG: sym op33 addr-taken
; CHECK-DAG: sym op34 addr-taken
; CHECK-DAG: sym op35 addr-taken
; CHECK-DAG: sym op36 addr-taken
; CHECK-DAG: sym op37 addr-taken
; CHECK-DAG: sym op38 addr-taken
; CHECK-DAG: sym op39 addr-taken
; CHECK-DAG: sym op40 addr-taken
; CHECK-DAG: sym op41 addr-taken
; CHECK-DAG: sym op42 addr-taken
; CHECK-DAG: sym op43 addr-taken
; CHECK-DAG: sym op44 addr-taken
; CHECK-DAG: sym op45 addr-taken
; CHECK-DAG: sym op46 addr-taken
; CHECK-DAG: sym op47 addr-taken
; CHECK-DAG: sym op48 addr-taken
; CHECK-DAG: sym op49 addr-taken
; CHECK-DAG: sym op50 addr-taken
; CHECK-DAG: sym op51 addr-taken
; CHECK-DAG: sym op52 addr-taken
; CHECK-DAG: sym op53 addr-taken
; CHECK-DAG: sym op54 addr-taken
; CHECK-DAG: sym op55 addr-taken
; CHECK-DAG: sym op56 addr-taken
; CHECK-DAG: sym op57 addr-taken
; CHECK-DAG: sym op58 addr-taken
; CHECK-DAG: sym op59 addr-taken
; CHECK-DAG: sym op60 addr-taken
; CHECK-DAG: sym op61 addr-taken
; CHECK-DAG: sym op62 addr-taken
; CHECK-DAG: sym op63 addr-taken
; CHECK-DAG: sym op64 addr-taken
; CHECK-DAG: sym op65 addr-taken
; CHECK-DAG: sym op66 addr-taken
; CHECK-DAG: sym op67 addr-taken
; CHECK-DAG: sym op68 addr-taken
; CHECK-DAG: sym op69 addr-taken
