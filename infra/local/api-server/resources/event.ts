import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain, qualifiedName } from '../objects/names.ts';
import { type KubeObject, mapAt, textAt } from '../objects/object.ts';
import { invalid, required } from '../schema/field-error.ts';
import type { Conversion } from './resource.ts';
import type { Strategy } from './strategy.ts';

/** Events are stored as core/v1 shows them; events.k8s.io/v1 calls the same fields otherwise. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const renamed = (object: KubeObject, from: 0 | 1): KubeObject => {
  const names = new Map(NAMES.map((pair) => [pair[from], pair[1 - from] ?? '']));
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]),
  ) as KubeObject;
};

export const eventConversion: Conversion = {
  fromStored: (object) => renamed(object, 0),
  toStored: (object) => renamed(object, 1),
};

const selectableFields = (object: KubeObject): Record<string, string> => {
  const core = renamed(object, 1);
  const involved = mapAt(core, 'involvedObject');
  const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  return {
    ...Object.fromEntries(
      about.map((field) => [`involvedObject.${field}`, textAt(involved, field)]),
    ),
    ...Object.fromEntries(about.map((field) => [`regarding.${field}`, textAt(involved, field)])),
    reason: textAt(core, 'reason'),
    type: textAt(core, 'type'),
    reportingComponent: textAt(core, 'reportingComponent'),
    reportingController: textAt(core, 'reportingComponent'),
    source: textAt(mapAt(core, 'source'), 'component') || textAt(core, 'reportingComponent'),
  };
};

const event: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  createOnUpdate: true,
  selectableFields,
};

export const coreEvent: Strategy = {
  ...event,
  defaults: (object) => {
    object.source ??= {};
  },
  validate: (object) => namespaceErrors(object),
};

/** The newer API, which wants to know when, who and what. */
export const newEvent: Strategy = {
  ...event,
  defaults: (object) => {
    object.deprecatedSource ??= {};
  },
  validate: (object, old) => (old ? [] : strictErrors(object)),
};

const namespaceErrors = (object: KubeObject): FieldError[] => {
  const { namespace = '' } = object.metadata;
  const involved = textAt(mapAt(object, 'involvedObject'), 'namespace');
  const matches = involved === '' ? namespace === 'default' : involved === namespace;
  if (matches) return [];
  return [invalid('involvedObject.namespace', involved, 'does not match event.namespace')];
};

const strictErrors = (object: KubeObject): FieldError[] => {
  if (!object.eventTime) return [required('eventTime')];
  const controller = textAt(object, 'reportingController');
  const type = textAt(object, 'type');
  return [
    ...(controller === '' ? [required('reportingController')] : []),
    ...qualifiedName(controller).map((why) => invalid('reportingController', controller, why)),
    ...textErrors(object, 'reportingInstance'),
    ...textErrors(object, 'action'),
    ...textErrors(object, 'reason'),
    ...(['Normal', 'Warning'].includes(type)
      ? []
      : [invalid('type', '', `has invalid value: ${type}`)]),
    ...(textAt(object, 'note').length > 1024
      ? [invalid('message', '', 'can have at most 1024 characters')]
      : []),
  ];
};

const LIMIT = 128;

const textErrors = (object: KubeObject, field: string): FieldError[] => {
  const text = textAt(object, field);
  if (text === '') return [required(field)];
  return text.length > LIMIT ? [invalid(field, '', `can have at most ${LIMIT} characters`)] : [];
};
