import type { ErrorBody, Step } from './contract-case.ts';
import { definition } from './definitions.ts';
import { paths } from './objects.ts';
import { post } from './requests.ts';

/** A definition that each case registers for itself, in its own group. */
export const toys = {
  group: '{ns}.example.com',
  name: 'toys.{ns}.example.com',
  path: `${paths.definitions}/toys.{ns}.example.com`,
  objects: '/apis/{ns}.example.com/v1/namespaces/{ns}/toys',
  names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
} as const;

/** The name of a definition's kind in errors. */
export const crd = 'CustomResourceDefinition.apiextensions.k8s.io';

export const toyVersion = (spec: object, more: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  ...more,
});

export const toyDefinition = (...versions: readonly object[]) =>
  definition({ group: toys.group, names: toys.names, versions });

/** Defines toys whose spec has this schema. */
export const toysWith = (spec: object) => toyDefinition(toyVersion(spec));

export const simpleToys = toysWith({ type: 'object', properties: { size: { type: 'integer' } } });

export const toy = (name: string, spec: object = {}) => ({
  apiVersion: `${toys.group}/v1`,
  kind: 'Toy',
  metadata: { name },
  spec,
});

/** Expects that a definition of toys with this schema is invalid. */
export const refused = (spec: object, error: ErrorBody): Step => ({
  request: post(paths.definitions, toysWith(spec)),
  expect: { status: 422, error },
});
