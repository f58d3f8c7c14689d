/** Types of the Kubernetes API, as they are on the wire. */

/** A resource type that the API serves. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: Namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster';
}

/** A resource type of any version. */
export type TypeName = Pick<ResourceType, 'group' | 'plural'>;

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** `fieldsV1`: nested field names `f:x`, list keys `k:{…}`, set values `v:…`, `.` for the item itself. */
export interface FieldsV1 {
  readonly [key: string]: FieldsV1;
}

export type ManagedFieldsEntry = {
  readonly manager?: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldsV1;
  readonly subresource?: string;
};

export type ObjectMeta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly finalizers?: readonly string[];
};

/** The version of an object as it was read; writes are locked to it. */
export type ObjectVersion = Pick<ObjectMeta, 'uid' | 'resourceVersion'>;

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** An object as the API server returns it. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object as it is sent, without the fields that the server sets. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

/** Names an object that a resource wants or has, for messages and `status.children`. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Set only if it differs from the resource's own: for a namespaced child of a cluster-scoped resource. */
  readonly namespace?: string;
};

/** The body of an error answer (`kind: Status`). */
export interface Status {
  readonly kind: 'Status';
  readonly status: 'Failure' | 'Success';
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

export interface StatusCause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

export const apiVersionOf = (type: Pick<ResourceType, 'group' | 'version'>): string =>
  type.group === '' ? type.version : `${type.group}/${type.version}`;

/** Reports whether two types are the same resource, ignoring the version. */
export const isSameType = (a: TypeName, b: TypeName): boolean =>
  a.group === b.group && a.plural === b.plural;

export const includesType = (types: readonly TypeName[], type: TypeName): boolean =>
  types.some((one) => isSameType(one, type));

export const isClusterScoped = ({ scope }: Pick<ResourceType, 'scope'>): boolean =>
  scope === 'Cluster';

/** Identifies an object in a namespace: `apps/v1/Deployment/shop`. */
export const keyOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${apiVersion}/${kind}/${qualifiedName(namespace, name)}`;

/** `team-a/shop`; only the name if the namespace is undefined or empty. */
export const qualifiedName = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name;

export interface Titled extends Pick<ObjectRef, 'kind' | 'name'> {
  readonly namespace?: string | undefined;
}

/** `Deployment shop`, or `Deployment team-a/shop` if the reference has a namespace. */
export const titleOf = ({ kind, namespace, name }: Titled): string =>
  `${kind} ${qualifiedName(namespace, name)}`;

/** `deployment.apps/shop`, as kubectl writes it. */
export function commandLineName({ apiVersion, kind, name, namespace }: ObjectRef): string {
  const [group, version] = apiVersion.split('/');
  const type = `${kind.toLowerCase()}${version === undefined ? '' : `.${group}`}`;
  return `${type}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}

/** Reports whether a reference names an object of this type, in this version. */
export const isOfType = (
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
  type: Pick<ResourceType, 'group' | 'version' | 'kind'>,
): boolean => ref.kind === type.kind && ref.apiVersion === apiVersionOf(type);

/** API groups with a dot that Kubernetes itself serves and that have namespaced types. */
const builtInGroups: readonly string[] = [
  'authorization',
  'coordination',
  'discovery',
  'events',
  'networking',
  'rbac.authorization',
  'resource',
  'scheduling',
  'storage',
].map((name) => `${name}.k8s.io`);

/** Reports whether the type is defined by a CRD, not by Kubernetes itself. */
export const isCustom = ({ group }: Pick<ResourceType, 'group'>): boolean =>
  group.includes('.') && !builtInGroups.includes(group);

/** `deployments.apps`, `services`: how the API and RBAC write a resource. */
export const groupResource = (type: TypeName): string =>
  type.group === '' ? type.plural : `${type.plural}.${type.group}`;

/**
 * Says why no object can have this name, in the words of apimachinery's ValidatePathSegmentName;
 * undefined for a legal name. An illegal name in a path would address something else.
 */
export function pathSegmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const illegal = ['/', '%'].find((character) => name.includes(character));
  return illegal === undefined ? undefined : `may not contain '${illegal}'`;
}
