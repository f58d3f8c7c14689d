import type { FieldError } from '../../errors/field-error.ts';
import { invalid, required } from '../../errors/field-error.ts';
import { objectAt, textAt } from '../../json/value.ts';
import { dnsSubdomain, qualifiedName } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Conversion } from '../../resources/resource.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { coreEventPrinter, newEventPrinter } from './printer.ts';

/** Stores Events in the form of core/v1; events.k8s.io/v1 has other names for the same fields. */
const fieldNames: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(object: KubeObject, from: 0 | 1): KubeObject {
  const names = new Map(fieldNames.map((pair) => [pair[from], pair[1 - from] ?? '']));
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]),
  ) as KubeObject;
}

const eventConversion: Conversion = {
  fromStored: (object) => renamed(object, 0),
  toStored: (object) => renamed(object, 1),
};

function selectableFields(object: KubeObject): Record<string, string> {
  const core = renamed(object, 1);
  const involved = objectAt(core, 'involvedObject');
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
    source: textAt(objectAt(core, 'source'), 'component') || textAt(core, 'reportingComponent'),
  };
}

const event: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  selectableFields,
};

const coreEvent: Strategy = {
  ...event,
  validate: (object) => namespaceErrors(object),
};

/** Validates an Event of events.k8s.io/v1, which requires time, reporter and action. */
const newEvent: Strategy = {
  ...event,
  validate: (object, old) => (old ? [] : strictErrors(object)),
};

function namespaceErrors(object: KubeObject): FieldError[] {
  const { namespace = '' } = object.metadata;
  const involved = textAt(objectAt(object, 'involvedObject'), 'namespace');
  const matches = involved === '' ? namespace === 'default' : involved === namespace;
  if (matches) return [];
  return [invalid('involvedObject.namespace', involved, 'does not match event.namespace')];
}

function strictErrors(object: KubeObject): FieldError[] {
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
}

const limit = 128;

function textErrors(object: KubeObject, field: string): FieldError[] {
  const text = textAt(object, field);
  if (text === '') return [required(field)];
  return text.length > limit ? [invalid(field, '', `can have at most ${limit} characters`)] : [];
}

function about(field: string): string[] {
  return ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (part) => `${field}.${part}`,
  );
}

const eventFields = ['reason', 'type', 'source', 'reportingComponent', 'reportingController'];

/** Events, in both groups, with one collection. */
export const eventKinds: readonly KindEntry[] = [
  {
    group: '',
    kind: 'Event',
    strategy: coreEvent,
    printer: coreEventPrinter,
    fields: [...eventFields, ...about('involvedObject')],
  },
  {
    group: 'events.k8s.io',
    kind: 'Event',
    strategy: newEvent,
    printer: newEventPrinter,
    fields: [...eventFields, ...about('regarding')],
    collection: 'events',
    conversion: eventConversion,
  },
];
