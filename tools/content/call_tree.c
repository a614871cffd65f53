// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content/call_tree.h"

#include <stdlib.h>

void call_tree_free(struct call_tree *tree)
{
	free(tree->calls);
	free(tree->of_node);
	*tree = (struct call_tree){ 0 };
}
