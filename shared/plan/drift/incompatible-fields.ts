import { isMap } from '../../canonical.ts';
import { pointerToken, textAt, valueAt } from '../../json.ts';
import {
  isCustom,
  type Json,
  type JsonObject,
  type KubeObject,
  type ResourceType,
} from '../../kubernetes.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import { incompatibleContainers } from './incompatible-containers.ts';

/**
 * The JSON patch that removes what the server refuses together with our fields (422, or 500 for two
 * ports of one number); empty if there is nothing to remove.
 *
 * Guarantees: removes only other members of a union of which we set one, the parameters of a rolling
 * update where we want none, Service ports that clash with ours, and what our containers cannot have.
 * Required fields are replaced in the same patch. Of a custom resource nothing is removed: fields of the same name
 * mean something else there.
 */
export const removeIncompatible = (desired: JsonObject, live: KubeObject): readonly JsonObject[] =>
  clashes(desired, live, { group: groupOf(live.apiVersion), kind: live.kind });

/** Whether other managers hold something that the server refuses together with our fields. */
export const hasIncompatible = (desired: JsonObject, { others, type }: ObservedChild): boolean =>
  others.some((entry) => clashes(desired, openEntry(entry).value, type).length > 0);

const clashes = (
  desired: JsonObject,
  live: Json | undefined,
  type: Pick<ResourceType, 'group' | 'kind'>,
): readonly JsonObject[] =>
  isCustom(type)
    ? []
    : [
        ...unions(desired, live, ''),
        ...rollingUpdates(desired, live, type.kind),
        ...clashingPorts(desired, live),
        ...incompatibleContainers(desired, live),
      ];

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** Unions: the API allows one member at a time, and may require one. */
const exclusive: readonly Union[] = [
  { members: ['value', 'valueFrom'], required: false },
  { members: ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'], required: true },
  {
    members: ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'],
    required: true,
  },
];

interface Union {
  readonly members: readonly string[];
  readonly required: boolean;
}

function unions(
  desired: Json | undefined,
  live: Json | undefined,
  path: string,
): readonly JsonObject[] {
  if (Array.isArray(desired) && Array.isArray(live)) {
    return desired.flatMap((item) => {
      const at = live.findIndex((other) => isSameItem(item, other));
      return at < 0 ? [] : unions(item, live[at], `${path}/${at}`);
    });
  }
  if (!isMap(desired) || !isMap(live)) return [];
  const own = exclusive.flatMap((union) => replaceOthers(union, { desired, live, path }));
  const inner = Object.keys(desired).flatMap((field) =>
    unions(desired[field], live[field], `${path}/${pointerToken(field)}`),
  );
  return [...own, ...inner];
}

/** Where the union requires a member, ours replaces the other one. */
function replaceOthers(
  { members, required }: Union,
  { desired, live, path }: { desired: JsonObject; live: JsonObject; path: string },
): readonly JsonObject[] {
  const ours = members.filter((field) => desired[field] !== undefined);
  const theirs = members.filter((field) => !ours.includes(field) && live[field] !== undefined);
  if (ours.length === 0 || theirs.length === 0) return [];
  const at = (field: string): string => `${path}/${pointerToken(field)}`;
  const gone = required ? ours.filter((field) => live[field] === undefined) : [];
  return [
    ...theirs.map((field) => ({ op: 'remove', path: at(field) })),
    ...gone.map((field) => ({ op: 'add', path: at(field), value: desired[field] })),
  ];
}

/**
 * The parameters of a rolling update, which are there by default, beside a strategy of ours of another
 * type. The type is set in the same patch, or they would come back by default. A DaemonSet may have both.
 */
function rollingUpdates(
  desired: JsonObject,
  live: Json | undefined,
  kind: string,
): readonly JsonObject[] {
  const field = kind === 'StatefulSet' ? 'updateStrategy' : 'strategy';
  const type = textAt(desired, 'spec', field, 'type') ?? rolling;
  if (type === rolling || valueAt(live, 'spec', field, 'rollingUpdate') === undefined) return [];
  return [
    { op: 'remove', path: `/spec/${field}/rollingUpdate` },
    { op: 'add', path: `/spec/${field}/type`, value: type },
  ];
}

const rolling = 'RollingUpdate';

const isSameItem = (a: Json, b: Json): boolean =>
  isMap(a) && isMap(b) && a.name !== undefined && a.name === b.name;

interface Port {
  readonly port?: number;
  readonly protocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
}

/**
 * Two or more ports of a Service need distinct names, and node ports are distinct too. If ours has no
 * name and is missing from the live object, any name that others gave it is lost, so it must be the
 * only port.
 */
function clashingPorts(desired: JsonObject, live: Json | undefined): readonly JsonObject[] {
  const wanted = portsOf(desired);
  const present = portsOf(live);
  const isLive = (own: Port): boolean => present.some((port) => isSamePort(own, port));
  const clashes = (port: Port): boolean =>
    !wanted.some((own) => isSamePort(own, port)) &&
    wanted.some(
      (own) =>
        port.name === undefined ||
        (own.name === undefined && !isLive(own)) ||
        own.name === port.name ||
        (own.nodePort !== undefined && own.nodePort === port.nodePort),
    );
  const left = present.filter((port) => !clashes(port));
  if (left.length === present.length) return [];
  const missing = wanted.filter((own) => !left.some((port) => isSamePort(own, port)));
  return [{ op: 'replace', path: '/spec/ports', value: [...left, ...missing] as Json[] }];
}

const isSamePort = (a: Port, b: Port): boolean =>
  a.port === b.port && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP');

/** `spec.ports` of a Service; no other built-in type has that field. */
const portsOf = (object: Json | undefined): readonly Port[] =>
  (object as { readonly spec?: { readonly ports?: readonly Port[] } } | undefined)?.spec?.ports ??
  [];
