import { badRequest, invalidObject, notFound } from '../errors/errors.ts';
import { isMap, type JsonMap, type KubeObject, mapAt } from '../objects/object.ts';
import { compileJsonPath } from '../printers/json-path.ts';
import { selectorText } from '../printers/workloads.ts';
import { parseObjectBody } from '../requests/body.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ScalePaths } from '../resources/resource.ts';
import { invalid } from '../schema/field-error.ts';
import type { ApiServer } from '../server.ts';
import { readIn, subjectOf, type Target } from '../writes/target.ts';
import { updateObject } from '../writes/update-object.ts';
import { tracked } from './managed-fields.ts';
import { patchFunction } from './patch.ts';

/** GET of `scale`: the replicas of any scalable resource, in one form. */
export const getScale = ({ store }: ApiServer, { target }: Call): Outcome => {
  const { served, namespace, name } = target;
  const stored = store.get(served.resource.collection, namespace, name);
  if (stored === undefined) throw notFound(subjectOf(target));
  return { kind: 'value', code: 200, value: scaleOf(readIn(served, stored), pathsOf(target)) };
};

export const updateScale = (server: ApiServer, call: Call): Outcome => {
  const wanted = parseObjectBody(call.body, call.contentType);
  return writeScale(server, call, () => wanted);
};

export const patchScale = (server: ApiServer, call: Call): Outcome =>
  writeScale(server, call, patchFunction(call));

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
    spec: replicas === undefined ? {} : { replicas },
    status: {
      replicas: firstOf(object, paths.statusReplicasPath) ?? 0,
      ...(selector ? { selector: isMap(selector) ? selectorText(selector) : selector } : {}),
    },
  };
};

const writeScale = (
  server: ApiServer,
  call: Call,
  change: (scale: unknown) => unknown,
): Outcome => {
  const { target } = call;
  const writer = writerOf(call);
  const paths = pathsOf(target);
  // Who scales owns the replicas of the object itself, as the real server records it.
  const { stored } = updateObject(server, {
    target,
    writer,
    createIfAbsent: false,
    uidIsPrecondition: true,
    transform: (old) => {
      const updated = structuredClone(old) as KubeObject;
      const scale = change(scaleOf(updated, paths));
      if (!isMap(scale)) throw badRequest('Scale must be an object');
      setReplicas(updated, paths, wantedReplicas(scale, target));
      lockAs(updated, mapAt(scale, 'metadata'));
      return tracked(updated, old, { target, writer, now: server.clock() });
    },
  });
  return { kind: 'value', code: 200, value: scaleOf(readIn(target.served, stored), paths) };
};

const wantedReplicas = (scale: JsonMap, { name, served }: Target): number => {
  const replicas = mapAt(scale, 'spec').replicas ?? 0;
  if (typeof replicas !== 'number') throw badRequest('spec.replicas must be a number');
  // A custom resource is judged by its own schema.
  if (replicas >= 0 || served.resource.custom) return replicas;
  throw invalidObject({ group: 'autoscaling', kind: 'Scale', name }, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
};

const setReplicas = (
  object: KubeObject,
  { specReplicasPath }: ScalePaths,
  replicas: number,
): void => {
  const parts = specReplicasPath.split('.').filter(Boolean);
  const last = parts.pop() ?? '';
  let node: JsonMap = object;
  for (const part of parts) {
    const next: JsonMap = isMap(node[part]) ? node[part] : {};
    node[part] = next;
    node = next;
  }
  node[last] = replicas;
};

const lockAs = (object: KubeObject, metadata: JsonMap): void => {
  const { resourceVersion, uid } = metadata;
  if (typeof resourceVersion === 'string') object.metadata.resourceVersion = resourceVersion;
  if (typeof uid === 'string' && uid !== '') object.metadata.uid = uid;
};
