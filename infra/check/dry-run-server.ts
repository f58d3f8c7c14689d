import { setImmediate } from 'node:timers/promises';
import {
  type InProcessCluster,
  startInProcessCluster,
} from '@serverless-reconciler/local-cluster/in-process';
import { isSameJson } from '../../shared/canonical.ts';
import { collection, item } from '../../shared/cluster/paths.ts';
import { defaultIdentity as identity } from '../../shared/identity.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { namespace as namespaceType } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Resource } from '../../shared/kinds/reads.ts';
import { generatedKeys } from '../../shared/kinds/references/generated-data.ts';
import {
  apiVersionOf,
  isClusterScoped,
  isCustom,
  type JsonObject,
  type KubeObject,
  type Manifest,
  type ResourceType,
  type Status,
} from '../../shared/kubernetes.ts';
import { itemIn } from '../../shared/plan/drift/kept-values.ts';
import { placeOf, valueIn, withValueAt } from '../../shared/plan/drift/places.ts';
import { desiredFields } from '../../shared/plan/observed/apply-manifest.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { customResourceDefinition } from '../generate/crd.ts';
import { keyOfChild } from './check-children.ts';
import type { DryRun } from './check-kind.ts';
import { droppedFields } from './dropped-fields.ts';
import { pathProblem } from './fields.ts';
import { definitionRefusals, refusalsOf } from './refusals.ts';

/** An embedded API server. Each object is deleted after the check that needed it, except CRDs and namespaces. */
export interface Server extends DryRun {
  /** Empty if the CRD is accepted. */
  readonly ofDefinition: (kind: Kind) => readonly string[];
  /** Reports whether the server accepts an update of a stored resource to this spec. */
  readonly accepts: (kind: Kind, resource: Resource<JsonObject>, spec: JsonObject) => boolean;
  /** Returns the updates of children that the server refuses, such as a change to an immutable field. */
  readonly ofEdit: (
    kind: Kind,
    resource: Resource<JsonObject>,
    children: { readonly before: readonly Child[]; readonly after: readonly Child[] },
  ) => readonly string[];
  readonly stop: () => void;
}

export async function openServer(kinds: readonly Kind[]): Promise<Server> {
  const cluster = startInProcessCluster();
  const apply = applyTo(cluster);
  const define = (kind: Kind, how: { readonly dryRun: boolean }) =>
    apply(definitionType, customResourceDefinition(kind), how);
  for (const kind of kinds) define(kind, { dryRun: false });
  // The server establishes and serves a CRD in a later turn of the event loop.
  await setImmediate();
  const refusals = new Map(
    kinds.map((kind) => [pathOf(kind), definitionProblems(define(kind, { dryRun: true }))]),
  );
  const isServed = (type: ResourceType): boolean =>
    !isCustom(type) || refusals.get(pathOf(type))?.length === 0;
  const made = new Set<string>();
  const makeNamespace = (name: string): void => {
    if (name === '' || made.has(name)) return;
    made.add(name);
    const manifest = manifestFor(namespaceType, { name, namespace: '' }, {});
    apply(namespaceType, manifest, { dryRun: false });
  };
  return {
    ofDefinition: (kind) =>
      (refusals.get(pathOf(kind)) ?? []).map((text) => `${kind.kind}: ${text}`),
    ofResource(kind, { name, namespace, spec }) {
      const manifest = manifestFor(kind, { name, namespace }, { spec });
      const result = apply(kind, manifest, { dryRun: true });
      return 'status' in result ? refusalsOf(kind, result.status, manifest) : [];
    },
    accepts: acceptsOn(cluster, apply),
    ofEdit: editsOn(cluster, apply, isServed),
    ofChildren: (kind, resource, children) =>
      children
        .filter(({ type, blocked, ends }) => blocked === undefined && !ends && isServed(type))
        .flatMap((child) => {
          const namespace = namespaceOf(resource, child);
          makeNamespace(namespace);
          return childProblems(apply, { kind, resource, child, namespace }).map(
            (problem) => `${titleOfChild(child)}: ${problem}`,
          );
        }),
    stop: cluster.stop,
  };
}

const pathOf = (type: ResourceType): string => collection(type, undefined);

const applyTo =
  (cluster: InProcessCluster): Apply =>
  (type, manifest, { dryRun }) => {
    const { name, namespace = '' } = manifest.metadata;
    const query = `fieldManager=${identity.name}&force=true&fieldValidation=Strict`;
    const { code, value } = cluster.send({
      user: identity.name,
      method: 'PATCH',
      path: `${item(type, { namespace, name }, 'apply')}?${query}${dryRun ? '&dryRun=All' : ''}`,
      contentType: 'application/apply-patch+yaml',
      body: manifest,
    });
    return code < 400 ? { stored: value as KubeObject } : { status: value as Status };
  };

const acceptsOn =
  (cluster: InProcessCluster, apply: Apply): Server['accepts'] =>
  (kind, { name, namespace, spec: former }, spec) => {
    const place = { name, namespace };
    const stored = apply(kind, manifestFor(kind, place, { spec: former }), { dryRun: false });
    const edited = apply(kind, manifestFor(kind, place, { spec }), { dryRun: true });
    remove(cluster, kind, place);
    return 'stored' in stored && 'stored' in edited;
  };

/** Omits PersistentVolumeClaims, because their mutable fields depend on whether they are bound. */
const editsOn =
  (
    cluster: InProcessCluster,
    apply: Apply,
    isServed: (type: ResourceType) => boolean,
  ): Server['ofEdit'] =>
  (kind, resource, { before, after }) =>
    after.flatMap((child) => {
      const { type, blocked, recreate } = child;
      if (blocked !== undefined || recreate !== undefined) return [];
      const former = before.find((one) => keyOfChild(one) === keyOfChild(child));
      const place = { name: child.name, namespace: namespaceOf(resource, child) };
      if (former === undefined || !isServed(type) || type.kind === 'PersistentVolumeClaim')
        return [];
      const [was, is] = [former, child].map((one) =>
        manifestFor(type, place, fieldsOf({ kind, resource, child: one, ...place })),
      );
      if (was === undefined || is === undefined || isSameJson(was, is)) return [];
      if ('status' in apply(type, was, { dryRun: false })) return [];
      const result = apply(type, withInitial(child, was, is), { dryRun: true });
      // Keeps a Namespace, because a Namespace being deleted would refuse the children in it.
      if (!type.retained) remove(cluster, type, place);
      return 'status' in result
        ? refusalsOf(type, result.status, is).map((why) => `${titleOfChild(child)}: ${why}`)
        : [];
    });

/** Returns an update in which the `initial` fields keep their former values. */
const withInitial = ({ initial = [] }: Child, was: Manifest, is: Manifest): Manifest =>
  initial.reduce((manifest, path) => {
    const place = placeOf(manifest, path);
    const value = place && valueIn(was, place);
    return place && value !== undefined
      ? (withValueAt(manifest, place, value) as Manifest)
      : manifest;
  }, is);

const remove = (cluster: InProcessCluster, type: ResourceType, place: Place): void => {
  cluster.send({
    user: identity.name,
    method: 'DELETE',
    path: item(type, place, 'delete'),
    contentType: 'application/json',
    body: {},
  });
};

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** Also reads the CRD's conditions, because only these report a name conflict. */
function definitionProblems(result: ApplyResult): readonly string[] {
  if ('status' in result) return definitionRefusals(result.status);
  const { conditions = [] } = (result.stored.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; status: string; message: string }[];
  };
  return conditions
    .filter(({ type, status }) => type === 'NamesAccepted' && status === 'False')
    .map(
      ({ message }) =>
        `the API server refuses the names of the kind: ${message}; choose other names`,
    );
}

type Apply = (
  type: ResourceType,
  manifest: Manifest,
  how: { readonly dryRun: boolean },
) => ApplyResult;

type ApplyResult = { readonly stored: KubeObject } | { readonly status: Status };

/** Omits the resourceVersion, so that the manifest is accepted even if the object exists, as a namespace may. */
const manifestFor = (
  type: ResourceType,
  { name, namespace }: Place,
  fields: JsonObject,
): Manifest => ({
  ...fields,
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: {
    ...(fields.metadata as JsonObject | undefined),
    name,
    ...(namespace === '' ? {} : { namespace }),
  },
});

interface Desired {
  readonly kind: Kind;
  readonly resource: Resource<JsonObject>;
  readonly child: Child;
  /** Empty for a cluster-scoped child. */
  readonly namespace: string;
}

const namespaceOf = (
  resource: Resource<JsonObject>,
  { type, namespace = resource.namespace }: Child,
): string => (isClusterScoped(type) ? '' : namespace);

function childProblems(apply: Apply, desired: Desired): readonly string[] {
  const { child, namespace } = desired;
  const { type, name } = child;
  const fields = fieldsOf(desired);
  const result = apply(type, manifestFor(type, { name, namespace }, fields), { dryRun: true });
  return [
    ...('stored' in result
      ? droppedFields(type, fields, result.stored)
      : refusalsOf(type, result.status, fields)),
    ...(['handsOver', 'initial'] as const).flatMap((field) =>
      (child[field] ?? [])
        .flatMap((path) => pathProblem(type, path) ?? [])
        .map((problem) => `${field}: ${problem}`),
    ),
    ...(child.initial ?? []).flatMap((path) => missingItem(fields, path)),
  ];
}

function missingItem(fields: JsonObject, path: string): readonly string[] {
  const item = itemIn(path);
  return item === '' || placeOf(fields, item) !== undefined
    ? []
    : [`\`initial\`: ${item} is not in the body`];
}

/** Uses `{}` for each Secret key that a run fills in: the Secret's type may require the key, with JSON as its value. */
function fieldsOf({ kind, resource, child }: Desired): JsonObject {
  const fields = desiredFields({ identity, kind, resource }, child);
  const { generated, templates = {} } = child;
  const later = [...(generated ? generatedKeys(generated) : []), ...Object.keys(templates)];
  if (later.length === 0) return fields;
  const data = Object.fromEntries(later.map((key) => [key, emptyJson]));
  return { ...fields, data: { ...data, ...(fields.data as JsonObject) } };
}

/** `{}` in base64. */
const emptyJson = 'e30=';
