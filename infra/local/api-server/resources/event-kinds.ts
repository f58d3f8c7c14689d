import { coreEventPrinter, newEventPrinter } from '../printers/events.ts';
import { coreEvent, eventConversion, newEvent } from './event.ts';
import type { KindEntry } from './kind-table.ts';

const about = (field: string): string[] =>
  ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (part) => `${field}.${part}`,
  );

const EVENT_FIELDS = ['reason', 'type', 'source', 'reportingComponent', 'reportingController'];

/** Events, in both groups that show them; one collection holds them. */
export const eventKinds: readonly KindEntry[] = [
  {
    group: '',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    strategy: coreEvent,
    printer: coreEventPrinter,
    shortNames: ['ev'],
    fields: [...EVENT_FIELDS, ...about('involvedObject')],
  },
  {
    group: 'events.k8s.io',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    strategy: newEvent,
    printer: newEventPrinter,
    shortNames: ['ev'],
    fields: [...EVENT_FIELDS, ...about('regarding')],
    collection: 'events',
    conversion: eventConversion,
  },
];
