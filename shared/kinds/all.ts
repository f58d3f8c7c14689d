import type { Kind } from './define-kind.ts';
import { foo } from './foo.ts';
import { website } from './website.ts';

/** Every custom resource kind this project reconciles. A new kind is one file and one line here. */
export const kinds: readonly Kind[] = [website, foo];
