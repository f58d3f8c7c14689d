/** Defines two kinds that together own a child of each type: Garden is namespaced, Park cluster-scoped. */

import { defineKind, Type } from '../../index.ts';
import { isClusterScoped } from '../../shared/kubernetes.ts';
import { subjects } from './all-cases.ts';
import type { Subject } from './cases.ts';
import { customResources } from './custom-resources.ts';

export const subjectsOfGarden: readonly Subject[] = [
  ...subjects.filter(({ type }) => !isClusterScoped(type)),
  ...customResources,
];
export const subjectsOfPark: readonly Subject[] = subjects.filter(({ type }) =>
  isClusterScoped(type),
);

/** Wants every child, or none if `isEmpty` is set. */
const ownerOf = (all: readonly Subject[]) => ({
  group: 'example.org',
  version: 'v1',
  spec: Type.Object({ isEmpty: Type.Boolean({ default: false }) }),
  samples: [{ name: 'garden', spec: {} }],
  owns: all.map(({ type }) => type),
  children: ({ spec: { isEmpty } }: { readonly spec: { readonly isEmpty: boolean } }) =>
    isEmpty ? [] : all.map(({ desired }) => desired),
});

export const garden = defineKind({
  ...ownerOf(subjectsOfGarden),
  kind: 'Garden',
  plural: 'gardens',
});

export const park = defineKind({
  ...ownerOf(subjectsOfPark),
  kind: 'Park',
  plural: 'parks',
  scope: 'Cluster',
});
