import { type FieldSet, isMember, leaf, self } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** Every member, parents before children. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const found: PathElement[][] = [];
  const open: { readonly set: FieldSet; readonly path: Path | undefined }[] = [
    { set, path: undefined },
  ];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { set: node, path: above } = at;
    const elements = Object.keys(node).filter((element) => element !== self);
    for (const element of elements) {
      if (isMember(node[element] ?? leaf)) found.push(elementsOf({ element, above }));
    }
    for (const element of elements.reverse()) {
      open.push({ set: node[element] ?? leaf, path: { element, above } });
    }
  }
  return found;
}

/** A path linked from its end to its root, so that paths below one node share the part above it. */
interface Path {
  readonly element: PathElement;
  readonly above: Path | undefined;
}

function elementsOf(path: Path): PathElement[] {
  const elements: PathElement[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.above) elements.push(at.element);
  return elements.reverse();
}
