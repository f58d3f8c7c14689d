import { badRequest, conflict, invalidObject, notFound } from '../errors/errors.ts';
import type { ApiError } from '../errors/status.ts';
import { managersOf } from '../fields/managers.ts';
import { copyOf } from '../objects/json-text.ts';
import {
  isMap,
  type JsonMap,
  type KubeObject,
  mapAt,
  numberAt,
  textAt,
} from '../objects/object.ts';
import { own, put } from '../objects/own.ts';
import { compileJsonPath } from '../printers/json-path.ts';
import { selectorText } from '../printers/workloads.ts';
import { parseObjectBody } from '../requests/body.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ScalePaths } from '../resources/resource.ts';
import { invalid } from '../schema/field-error.ts';
import type { ApiServer } from '../server.ts';
import { assertAddressed } from '../writes/address.ts';
import { badPatch } from '../writes/decode.ts';
import { readIn, subjectOf, type Target } from '../writes/target.ts';
import { updateObject } from '../writes/update-object.ts';
import { tracked } from './managed-fields.ts';
import { assertPatch, patchFunction } from './patch-function.ts';
import { assertScale, noScale } from './scale-body.ts';
import { owns, withOwnEntry, withoutOwners } from './scale-ownership.ts';

/** GET of `scale`: the replicas of any scalable resource, in one form. */
export const getScale = ({ store }: ApiServer, { target }: Call): Outcome => {
  const { served, namespace, name } = target;
  const stored = store.get(served.resource.collection, namespace, name);
  if (stored === undefined) throw notFound(subjectOf(target));
  return { kind: 'value', code: 200, value: scaleOf(readIn(served, stored), pathsOf(target)) };
};

/** PUT of `scale`: it is judged before anyone looks whether there is anything to scale. */
export const updateScale = (server: ApiServer, call: Call): Outcome => {
  const wanted = parseObjectBody(call.body, call.contentType, 'Scale') ?? {};
  if (!isMap(wanted)) throw badRequest('Scale must be an object');
  const writer = writerOf(call);
  const refuse = (why: string): ApiError => noScale(wanted, why);
  assertScale(wanted, { registry: server.registry, writer, refuse });
  assertAddressed(wanted as unknown as KubeObject, call.target);
  const uid = textAt(mapAt(wanted, 'metadata'), 'uid');
  return writeScale(server, call, { uid, change: () => wanted });
};

export const patchScale = (server: ApiServer, call: Call): Outcome => {
  assertPatch(call);
  const writer = writerOf(call);
  const change = (scale: JsonMap): JsonMap => {
    const patched = patchFunction(call).change(scale);
    if (!isMap(patched)) throw badRequest('Scale must be an object');
    const refuse = (why: string): ApiError => badPatch(patched, why);
    assertScale(patched, { registry: server.registry, writer, refuse });
    assertAddressed(patched as unknown as KubeObject, call.target);
    return patched;
  };
  return writeScale(server, call, { change });
};

const pathsOf = ({ served }: Target): ScalePaths => {
  const { scale } = served.version;
  if (scale === undefined) throw new Error(`${served.resource.plural} cannot be scaled`);
  return scale;
};

const firstOf = (object: JsonMap, path: string): unknown => compileJsonPath(path)(object)[0];

const scaleOf = (object: KubeObject, paths: ScalePaths): JsonMap => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = firstOf(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath && firstOf(object, paths.labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: {
      replicas: firstOf(object, paths.statusReplicasPath) ?? 0,
      ...(selector ? { selector: isMap(selector) ? selectorText(selector) : selector } : {}),
    },
  };
};

const writeScale = (
  server: ApiServer,
  call: Call,
  { uid = '', change }: { readonly uid?: string; readonly change: (scale: JsonMap) => JsonMap },
): Outcome => {
  const { target } = call;
  const writer = writerOf(call);
  const paths = pathsOf(target);
  // Who scales owns the replicas of the object itself, without a time, as the real server records it.
  const { stored } = updateObject(server, {
    target,
    writer,
    createIfAbsent: false,
    uidIsPrecondition: true,
    transform: (old) => {
      const updated = copyOf(old) as KubeObject;
      if (uid !== '' && uid !== updated.metadata.uid) {
        // A lost race, which is told before what is wrong with the scale.
        updated.metadata.uid = uid;
        return updated;
      }
      const scale = change(scaleOf(updated, paths));
      const replicas = wantedReplicas(scale, target);
      assertUid(mapAt(scale, 'metadata'), updated, target);
      const isSame = replicas === (firstOf(updated, paths.specReplicasPath) ?? 0);
      lockAs(updated, mapAt(scale, 'metadata'));
      if (target.served.resource.custom && textAt(scale, 'apiVersion') === '') {
        setReplicas(updated, paths, replicas);
        return withoutOwners(updated, paths);
      }
      if (isSame) return withOwnEntry(updated, paths);
      // Fields are tracked as those of the scale: it leaves zero out, so that whoever scales to zero
      // owns nothing, and what nobody owned before is not tracked.
      const isOwned = managersOf(old)
        .values()
        .some(({ fieldsV1 }) => owns(fieldsV1, paths));
      setReplicas(updated, paths, replicas === 0 ? undefined : replicas);
      const scaled = isOwned ? tracked(updated, old, { target, writer }) : updated;
      setReplicas(scaled, paths, replicas);
      return scaled;
    },
  });
  return { kind: 'value', code: 200, value: scaleOf(readIn(target.served, stored), paths) };
};

const wantedReplicas = (scale: JsonMap, { name, served }: Target): number => {
  const replicas = numberAt(mapAt(scale, 'spec'), 'replicas') ?? 0;
  // A custom resource is judged by its own schema.
  if (replicas >= 0 || served.resource.custom) return replicas;
  throw invalidObject({ group: 'autoscaling', kind: 'Scale', name }, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
};

const setReplicas = (
  object: KubeObject,
  { specReplicasPath }: ScalePaths,
  replicas: number | undefined,
): void => {
  const parts = specReplicasPath.split('.').filter(Boolean);
  const last = parts.pop() ?? '';
  let node: JsonMap = object;
  for (const part of parts) {
    const child = own(node, part);
    const next: JsonMap = isMap(child) ? child : {};
    put(node, part, next);
    node = next;
  }
  if (replicas === undefined) delete node[last];
  else put(node, last, replicas);
};

const lockAs = (object: KubeObject, metadata: JsonMap): void => {
  const resourceVersion = textAt(metadata, 'resourceVersion');
  if (resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
};

/** A patch may name the uid of a built-in kind; a custom resource's is not looked at. */
const assertUid = (wanted: JsonMap, { metadata }: KubeObject, { served, name }: Target): void => {
  const { group, plural, custom } = served.resource;
  const uid = textAt(wanted, 'uid');
  if (custom || uid === '' || uid === metadata.uid) return;
  throw conflict(
    { group, plural: `${plural}/scale`, name },
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
  );
};
