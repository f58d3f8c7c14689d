import { describe, expect, it } from 'vitest';
import { PathTree } from '../../shared/plan/exposure/path-tree.ts';
import { casesOf } from '../support/cases.ts';
import { pattern } from '../support/router.ts';

const any = '/.*';

interface Case {
  readonly reason: string;
  readonly held: readonly string[];
  readonly asked: string;
  readonly overlaps: boolean;
  readonly hasAtOrAbove: boolean;
}

const [root, a, ab, abc, b] = ['/', '/a', '/a/b', '/a/b/c', '/b'].map(pattern) as [
  string,
  string,
  string,
  string,
  string,
];

const cases: Record<string, Case> = {
  Empty: {
    reason: 'an empty tree serves no request',
    held: [],
    asked: a,
    overlaps: false,
    hasAtOrAbove: false,
  },
  Same: {
    reason: 'a path serves its own requests',
    held: [a],
    asked: a,
    overlaps: true,
    hasAtOrAbove: true,
  },
  Above: {
    reason: 'an ancestor serves the requests of a path',
    held: [root],
    asked: ab,
    overlaps: true,
    hasAtOrAbove: true,
  },
  Below: {
    reason: 'a path below another serves only some of the requests of the other',
    held: [abc],
    asked: a,
    overlaps: true,
    hasAtOrAbove: false,
  },
  Beside: {
    reason: 'a sibling serves none of the requests of a path',
    held: [b, abc],
    asked: pattern('/a/c'),
    overlaps: false,
    hasAtOrAbove: false,
  },
  Prefix: {
    reason: 'a path matches whole segments',
    held: [a],
    asked: pattern('/ab'),
    overlaps: false,
    hasAtOrAbove: false,
  },
  AnyHeld: {
    reason: 'a pattern of unknown form may serve any request',
    held: [any],
    asked: a,
    overlaps: true,
    hasAtOrAbove: true,
  },
  AnyAsked: {
    reason: 'any path may serve requests of a pattern of unknown form',
    held: [b],
    asked: any,
    overlaps: true,
    hasAtOrAbove: true,
  },
  AnyAlone: {
    reason: 'no path serves requests of an Ingress without paths',
    held: [],
    asked: any,
    overlaps: false,
    hasAtOrAbove: false,
  },
};

describe('a PathTree', () => {
  const treeOf = (paths: readonly string[]): PathTree => {
    const tree = new PathTree();
    for (const path of paths) tree.add(path);
    return tree;
  };
  const matchesIn = (tree: PathTree, path: string) => ({
    overlaps: tree.overlaps(path),
    hasAtOrAbove: tree.hasAtOrAbove(path),
  });

  it.each(casesOf(cases))('%s', (_, { reason, held, asked, ...want }) => {
    const tree = treeOf(held);
    expect(matchesIn(tree, asked), reason).toEqual(want);

    // Adds and removes other paths first, which must have no effect.
    for (const path of [root, any, a, a]) tree.add(path);
    for (const path of [a, any, root, a]) tree.remove(path);
    expect(matchesIn(tree, asked), reason).toEqual(want);
  });

  it('keeps a path that was added twice until it is removed twice', () => {
    const tree = treeOf([a, a, any, any]);
    tree.remove(any);
    expect(matchesIn(tree, b)).toEqual({ overlaps: true, hasAtOrAbove: true });
    tree.remove(any);
    expect(matchesIn(tree, b)).toEqual({ overlaps: false, hasAtOrAbove: false });
    tree.remove(a);
    expect(matchesIn(tree, a)).toEqual({ overlaps: true, hasAtOrAbove: true });
    tree.remove(a);
    expect(matchesIn(tree, a)).toEqual({ overlaps: false, hasAtOrAbove: false });
    expect(matchesIn(tree, any)).toEqual({ overlaps: false, hasAtOrAbove: false });
  });
});
