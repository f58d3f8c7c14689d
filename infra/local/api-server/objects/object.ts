/** A Kubernetes object as a private copy: verbs and strategies change it in place until it is stored. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  [field: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

export type JsonMap = Record<string, unknown>;

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The map at `object[field]`, or an empty one that is not part of the object. */
export const mapAt = (object: JsonMap | undefined, field: string): JsonMap => {
  const value = object?.[field];
  return isMap(value) ? value : {};
};

/** The list at `object[field]`, or an empty one that is not part of the object. */
export const listAt = (object: JsonMap | undefined, field: string): unknown[] => {
  const value = object?.[field];
  return Array.isArray(value) ? value : [];
};

export const mapsAt = (object: JsonMap | undefined, field: string): JsonMap[] =>
  listAt(object, field).filter(isMap);

export const textAt = (object: JsonMap | undefined, field: string): string => {
  const value = object?.[field];
  return typeof value === 'string' ? value : '';
};

export const numberAt = (object: JsonMap | undefined, field: string): number | undefined => {
  const value = object?.[field];
  return typeof value === 'number' ? value : undefined;
};

/** `object[field]` when it is a map, else a new map put there. */
export const ensureMap = (object: JsonMap, field: string): JsonMap => {
  const value = object[field];
  if (isMap(value)) return value;
  const created: JsonMap = {};
  object[field] = created;
  return created;
};

/** Sets `object[field]` unless something is there. */
export const setDefault = (object: JsonMap, field: string, value: unknown): void => {
  if (object[field] === undefined || object[field] === null) object[field] = value;
};

export const apiVersionOf = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;
