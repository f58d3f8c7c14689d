import type { KubeObject } from '../objects/object.ts';
import type { Printer } from '../printing/printer.ts';
import type { SchemaSource } from '../schema/schema.ts';
import type { Strategy } from './strategy.ts';

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One API version of a resource. */
export interface ServedVersion {
  readonly name: string;
  readonly schema: SchemaSource;
  readonly printer: Printer;
  readonly status: boolean;
  readonly scale?: ScalePaths;
  readonly deprecationWarning?: string;
  /** Converts a stored object to this version and back, if their forms differ. */
  readonly conversion?: Conversion;
}

/** A served resource with all its versions. */
export interface Resource {
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The collection that stores the objects; two resources may share one (Events). */
  readonly collection: string;
  readonly custom: boolean;
  readonly strategy: Strategy;
  /** The fields that field selectors may use, besides name and namespace. */
  readonly selectableFields: readonly string[];
  readonly versions: readonly ServedVersion[];
  /** The names of all versions in the definition of a custom resource, served or not. */
  readonly defined?: readonly string[];
}

export interface Conversion {
  readonly fromStored: (object: KubeObject) => KubeObject;
  readonly toStored: (object: KubeObject) => KubeObject;
}

/** A resource in the version that a request names. */
export interface Served {
  readonly resource: Resource;
  readonly version: ServedVersion;
}

export function groupVersionOf({ resource, version }: Served): string {
  return resource.group === '' ? version.name : `${resource.group}/${version.name}`;
}
