export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: Namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster';
}

/** In any version. */
export type TypeName = Pick<ResourceType, 'group' | 'plural'>;

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** `f:x` is a field, `k:{…}` a list item by key, `v:…` an item of a set, `.` the map or item itself. */
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

/** Locks a write to the version that was read. */
export type ObjectVersion = Pick<ObjectMeta, 'uid' | 'resourceVersion'>;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A uid or resourceVersion in `metadata` locks a write: the server refuses the write if the live value differs. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

/** Identifies a child, for messages and `status.children`. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Set only for a namespaced child of a cluster-scoped resource. */
  readonly namespace?: string;
};

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

export const isSameType = (a: TypeName, b: TypeName): boolean =>
  a.group === b.group && a.plural === b.plural;

export const includesType = (types: readonly TypeName[], type: TypeName): boolean =>
  types.some((candidate) => isSameType(candidate, type));

export const isClusterScoped = ({ scope }: Pick<ResourceType, 'scope'>): boolean =>
  scope === 'Cluster';

/** Such as `apps/v1/Deployment/shop`. */
export const keyOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${apiVersion}/${kind}/${qualifiedName(namespace, name)}`;

export const byKey = (a: ObjectRef, b: ObjectRef): number => (keyOf(a) < keyOf(b) ? -1 : 1);

/** Such as `team-a/shop`, or `shop` without a namespace. */
export const qualifiedName = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name;

export interface Titled extends Pick<ObjectRef, 'kind' | 'name'> {
  readonly namespace?: string | undefined;
}

/** Such as `Deployment team-a/shop`. */
export const titleOf = ({ kind, namespace, name }: Titled): string =>
  `${kind} ${qualifiedName(namespace, name)}`;

/** Such as `deployment.apps/shop -n team-a`. */
export function commandLineName({ apiVersion, kind, name, namespace }: ObjectRef): string {
  const [group, version] = apiVersion.split('/');
  const type = `${kind.toLowerCase()}${version === undefined ? '' : `.${group}`}`;
  return `${type}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}

/** Compares the version, too, unlike `isSameType`. */
export const isOfType = (
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
  type: Pick<ResourceType, 'group' | 'version' | 'kind'>,
): boolean => ref.kind === type.kind && ref.apiVersion === apiVersionOf(type);

/** Kubernetes' own groups that have a dot in their name. */
const builtInGroup =
  /^(admissionregistration|apiextensions|apiregistration|authentication|authorization|certificates|coordination|discovery|events|flowcontrol\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage|storagemigration)\.k8s\.io$/;

export const isCustom = ({ group }: Pick<ResourceType, 'group'>): boolean =>
  group.includes('.') && !builtInGroup.test(group);

/** As in RBAC: `deployments.apps`, or `services` for the core group. */
export const groupResource = (type: TypeName): string =>
  type.group === '' ? type.plural : `${type.plural}.${type.group}`;

/** Follows apimachinery's ValidatePathSegmentName. In a URL, a name such as `..` would address something else. */
export function pathSegmentProblem(name: string): string | undefined {
  if (['', '.', '..'].includes(name)) return `may not be '${name}'`;
  const illegal = ['/', '%'].find((character) => name.includes(character));
  return illegal === undefined ? undefined : `may not contain '${illegal}'`;
}
