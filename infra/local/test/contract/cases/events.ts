import type { ContractCase } from '../contract-case.ts';
import { alreadyExists, invalid } from '../errors.ts';
import { updated } from '../managers.ts';
import { configMap, paths } from '../objects.ts';
import { get, mergePatch, ours, post } from '../requests.ts';

const regarding = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'x',
  namespace: '{ns}',
  uid: '{made.metadata.uid}',
};

const event = (fields: object = {}) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'x.1' },
  eventTime: '2026-01-01T00:00:00.123456Z',
  reportingController: 'example.com/contract',
  reportingInstance: 'contract-1',
  action: 'Reconcile',
  reason: 'Created',
  type: 'Normal',
  note: 'created',
  regarding,
  ...fields,
});

const coreEvent = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'x.2' },
  involvedObject: regarding,
  reason: 'Created',
  message: 'created',
  type: 'Normal',
  ...fields,
});

const made = {
  name: 'made',
  request: post(paths.configMaps, configMap('x')),
  expect: { status: 201 },
};

export const cases: readonly ContractCase[] = [
  {
    id: 'ownership',
    reason: 'fields of an Event that the server fills in have no owner',
    steps: [
      made,
      {
        request: post(
          paths.coreEvents,
          {
            metadata: { name: 'x.3' },
            involvedObject: regarding,
            reason: 'Created',
            firstTimestamp: null,
            reportingComponent: '',
          },
          ours,
        ),
        expect: {
          status: 201,
          body: {
            source: {},
            firstTimestamp: null,
            lastTimestamp: null,
            eventTime: null,
            reportingComponent: '',
            reportingInstance: '',
          },
          managers: [updated('ours', 'v1', '{"f:involvedObject":{},"f:reason":{}}')],
        },
      },
      {
        request: mergePatch(`${paths.coreEvents}/x.3`, { count: 2, source: { component: 'c' } }),
        expect: {
          status: 200,
          managers: [
            updated('ours', 'v1', '{"f:involvedObject":{},"f:reason":{}}'),
            updated('theirs', 'v1', '{"f:count":{},"f:source":{"f:component":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'both-groups',
    reason: 'an Event written in one group is read in the other, by what it is about',
    steps: [
      made,
      {
        request: post(paths.events, event()),
        expect: {
          status: 201,
          body: {
            kind: 'Event',
            apiVersion: 'events.k8s.io/v1',
            eventTime: '2026-01-01T00:00:00.123456Z',
            note: 'created',
            regarding,
          },
        },
      },
      {
        request: get(`${paths.coreEvents}/x.1`),
        expect: {
          status: 200,
          body: {
            kind: 'Event',
            apiVersion: 'v1',
            involvedObject: regarding,
            message: 'created',
            reason: 'Created',
            reportingComponent: 'example.com/contract',
            reportingInstance: 'contract-1',
            source: {},
            firstTimestamp: null,
            count: undefined,
          },
        },
      },
      {
        request: get(paths.coreEvents, {
          fieldSelector:
            'involvedObject.uid={made.metadata.uid},involvedObject.name=x,involvedObject.kind=ConfigMap,involvedObject.namespace={ns}',
        }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'x.1' } }] } },
      },
      { request: post(paths.coreEvents, coreEvent()), expect: { status: 201 } },
      {
        request: get(`${paths.events}/x.2`),
        expect: {
          status: 200,
          body: { note: 'created', regarding, reason: 'Created', eventTime: null },
        },
      },
    ],
  },
  {
    id: 'said-once',
    reason: 'an Event with an explicit name is posted once',
    steps: [
      made,
      { request: post(paths.events, event()), expect: { status: 201 } },
      {
        request: post(paths.events, event()),
        expect: { status: 409, error: alreadyExists('events.events.k8s.io', 'x.1') },
      },
    ],
  },
  {
    id: 'incomplete',
    reason: 'the new group requires reporter, action and time',
    steps: [
      made,
      {
        request: post(paths.events, event({ eventTime: undefined })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [['eventTime', 'Required value', 'FieldValueRequired']]),
        },
      },
      {
        request: post(paths.events, event({ reportingController: undefined })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [
            ['reportingController', 'Required value', 'FieldValueRequired'],
            ['reportingController', 'Invalid value: "": name part must be non-empty'],
            [
              'reportingController',
              "Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ],
          ]),
        },
      },
      {
        request: post(paths.events, event({ reportingController: 'not valid' })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [
            [
              'reportingController',
              "Invalid value: \"not valid\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ],
          ]),
        },
      },
      {
        request: post(paths.events, event({ reportingInstance: '' })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [
            ['reportingInstance', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(paths.events, event({ action: undefined })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [['action', 'Required value', 'FieldValueRequired']]),
        },
      },
      {
        request: post(paths.events, event({ reason: undefined })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [['reason', 'Required value', 'FieldValueRequired']]),
        },
      },
      {
        request: post(paths.events, event({ type: 'Alarm' })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [['type', 'Invalid value: "": has invalid value: Alarm']]),
        },
      },
      {
        request: post(
          paths.events,
          event({
            metadata: { name: 'elsewhere' },
            regarding: { ...regarding, namespace: 'default' },
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: post(paths.events, event({ note: 'n'.repeat(1025) })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [
            ['message', 'Invalid value: "": can have at most 1024 characters'],
          ]),
        },
      },
      {
        request: post(paths.events, event({ reason: 'r'.repeat(129) })),
        expect: {
          status: 422,
          error: invalid('Event', 'x.1', [
            ['reason', 'Invalid value: "": can have at most 128 characters'],
          ]),
        },
      },
      { request: post(paths.events, event({ note: 'n'.repeat(1024) })), expect: { status: 201 } },
    ],
  },
  {
    id: 'core',
    reason: 'the old group accepts almost anything in the right namespace',
    steps: [
      made,
      {
        request: post(paths.coreEvents, coreEvent({ reason: undefined, type: 'Alarm' })),
        expect: { status: 201 },
      },
      {
        request: post(
          paths.coreEvents,
          coreEvent({
            metadata: { name: 'other' },
            involvedObject: { ...regarding, namespace: 'default' },
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Event', 'other', [
            [
              'involvedObject.namespace',
              'Invalid value: "default": does not match event.namespace',
            ],
          ]),
        },
      },
    ],
  },
];
