import { fieldSet } from '../fields/field-set.ts';
import { managersOf, withManagers } from '../fields/managers.ts';
import { trackUpdate } from '../fields/update.ts';
import type { KubeObject } from '../objects/object.ts';
import { timestamp } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import { groupVersionOf } from '../resources/resource.ts';
import type { Target } from '../resources/target.ts';
import { resetPathsOf } from './reset-fields.ts';

/** The manager, operation, version and time of a change to managedFields. */
export function trackingOf(target: Target, writer: Writer) {
  return {
    source: target.served.version.schema,
    manager: writer.manager,
    apiVersion: groupVersionOf(target.served),
    resetFields: fieldSet(...resetPathsOf(target).map((path) => path.map((part) => `f:${part}`))),
    ...(target.subresource === '' ? {} : { subresource: target.subresource }),
  };
}

/** Updates the managedFields of an object for a create, PUT or patch. */
export function tracked(
  updated: KubeObject,
  old: KubeObject | undefined,
  { target, writer, now }: { target: Target; writer: Writer; now?: Date },
): KubeObject {
  const object = trackUpdate({
    ...trackingOf(target, writer),
    ...(now === undefined ? {} : { now: timestamp(now) }),
    updated,
    ...(old ? { old } : {}),
  }) as KubeObject;
  const isTracked = droppedVersion(target, object) === undefined;
  return isTracked ? object : (withManagers({ ...object }, new Map()) as KubeObject);
}

/** Returns a version that managedFields name and the definition of a custom resource no longer has. */
export function droppedVersion(
  { served: { resource } }: Target,
  object: KubeObject | undefined,
): string | undefined {
  const known = resource.defined?.map((name) => `${resource.group}/${name}`);
  const named = [...managersOf(object).values()].map(({ apiVersion }) => apiVersion);
  return named.find((one) => known?.includes(one) === false);
}
