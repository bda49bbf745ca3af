// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases > %t 2>&1
// RUN: %FileCheck %s --implicit-check-not="{{error|warning}}:" --implicit-check-not="must be" < %t
// RUN: %not %ksimd check --profile freebsd --emit-graph=%t.ksg %s -- %base -I%cases > %t.direct
// RUN: %not %ksimd solve --profile freebsd %t.ksg > %t.solved
// RUN: diff %t.direct %t.solved
// RUN: %not %ksimd check --profile freebsd --format json %s -- %base -I%cases | %FileCheck %s --check-prefix=JSON
// RUN: %not %ksimd check --profile freebsd --format sarif %s -- %base -I%cases | %FileCheck %s --check-prefix=SARIF
// RUN: %not %clang -fplugin=%plugin -Xclang -plugin-arg-ksimd -Xclang profile=freebsd -fdiagnostics-parseable-fixits -D_KERNEL %base -I%cases -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=PLUGIN
// SPDX-License-Identifier: BSD-2-Clause
// Where one change is the right one, it is shown: the context of the enter in
// the leave.
#include "fbsd.h"

void
bad_other(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b)
{
	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+7]]:2: error: leaves with another context than was entered with [region-context-mismatch]
	// CHECK: [[#@LINE+6]]:28: note: this must be 'a'
	// CHECK-NEXT: fpu_kern_leave(curthread, b);
	// CHECK-NEXT: {{^ +\|[ \t]+}}^
	// CHECK-NEXT: {{^ +\|[ \t]+}}a
	// JSON: "line":[[#@LINE+2]],"column":28,"message":"this must be 'a'","endColumn":29,"fix":"a"
	// PLUGIN: fix-it:"{{.*}}fixes.c":{[[#@LINE+1]]:28-[[#@LINE+1]]:29}:"a"
	fpu_kern_leave(curthread, b);
}
// SARIF: "fixes":[{"description":{"text":"this must be 'a'"},"artifactChanges":[{"artifactLocation":{"uri":"{{.*}}fixes.c"},"replacements":[{"deletedRegion":{"startLine":25,"startColumn":28,"endLine":25,"endColumn":29},"insertedContent":{"text":"a"}}]}]}]

void
bad_null(void)
{
	struct fpu_kern_ctx *ctx = fpu_kern_alloc_ctx(FPU_KERN_NORMAL);

	fpu_kern_enter(curthread, ctx, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+2]]:2: error: leaves without a context {{.*}}[region-context-mismatch]
	// CHECK: [[#@LINE+1]]:28: note: this must be 'ctx'
	fpu_kern_leave(curthread, NULL);
}

// The name is another variable, or has another value, where the leave is.
void
bad_set_again(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b,
    struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	a = c;
	// CHECK: [[#@LINE+1]]:2: error: leaves with another context than was entered with [region-context-mismatch]
	fpu_kern_leave(curthread, b);
}
