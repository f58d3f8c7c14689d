import type { ContractCase } from '../contract-case.ts';
import { applied } from '../managers.ts';
import { deployment, gadget, paths, podTemplate } from '../objects.ts';
import { apply, theirs } from '../requests.ts';

const { deployments, gadgets } = paths;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'keyed-lists',
    reason: 'items of a keyed list are owned separately',
    steps: [
      {
        request: apply(g, gadget('x', { ports: [{ port: 80, label: 'a' }] })),
        expect: { status: 201 },
      },
      {
        request: apply(
          g,
          gadget('x', { ports: [{ port: 81 }, { port: 80, protocol: 'UDP' }] }),
          theirs,
        ),
        expect: {
          status: 200,
          at: {
            'spec.ports': [
              { label: 'a', port: 80, protocol: 'TCP' },
              { port: 81, protocol: 'TCP' },
              { port: 80, protocol: 'UDP' },
            ],
          },
          managers: [
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:label":{},"f:port":{}}}}}',
            ),
            applied(
              'theirs',
              'contract.example.com/v1',
              '{"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"UDP\\"}":{".":{},"f:port":{},"f:protocol":{}},"k:{\\"port\\":81,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}}}}}',
            ),
          ],
        },
      },
      {
        request: apply(g, gadget('x', { ports: [] })),
        expect: {
          status: 200,
          at: {
            'spec.ports': [
              { port: 81, protocol: 'TCP' },
              { port: 80, protocol: 'UDP' },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'sets',
    reason: 'a set is the union of what its managers apply',
    steps: [
      { request: apply(g, gadget('x', { tags: ['a', 'b'] })), expect: { status: 201 } },
      {
        request: apply(g, gadget('x', { tags: ['b', 'c'] }), theirs),
        expect: {
          status: 200,
          at: { 'spec.tags': ['a', 'b', 'c'] },
          managers: [
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:spec":{"f:tags":{"v:\\"a\\"":{},"v:\\"b\\"":{}}}}',
            ),
            applied(
              'theirs',
              'contract.example.com/v1',
              '{"f:spec":{"f:tags":{"v:\\"b\\"":{},"v:\\"c\\"":{}}}}',
            ),
          ],
        },
      },
      {
        request: apply(g, gadget('x', { tags: ['a'] })),
        expect: { status: 200, at: { 'spec.tags': ['a', 'b', 'c'] } },
      },
    ],
  },
  {
    id: 'atomic-lists',
    reason: 'an atomic list is replaced as one value, and the server’s defaults appear in it',
    steps: [
      {
        request: apply(g, gadget('x', { steps: [{ run: 'a' }, { run: 'b', retries: 1 }] })),
        expect: {
          status: 201,
          at: {
            'spec.steps': [
              { retries: 3, run: 'a' },
              { retries: 1, run: 'b' },
            ],
          },
          managers: [applied('ours', 'contract.example.com/v1', '{"f:spec":{"f:steps":{}}}')],
        },
      },
      {
        request: apply(g, gadget('x', { steps: [{ run: 'c' }] }), theirs),
        expect: {
          status: 409,
          error: {
            message: 'Apply failed with 1 conflict: conflict with "ours": .spec.steps',
            reason: 'Conflict',
            details: {
              causes: [
                {
                  reason: 'FieldManagerConflict',
                  message: 'conflict with "ours"',
                  field: '.spec.steps',
                },
              ],
            },
          },
        },
      },
      {
        request: apply(g, gadget('x', { steps: [{ run: 'c' }] })),
        expect: { status: 200, at: { 'spec.steps': [{ retries: 3, run: 'c' }] } },
      },
    ],
  },
  {
    id: 'doubled-keys',
    reason: 'two items of one key cannot be applied',
    steps: [
      {
        request: apply(g, gadget('x', { ports: [{ port: 80 }, { port: 80 }] })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; contract.example.com/v1, Kind=Gadget): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
          },
        },
      },
      {
        request: apply(g, gadget('x', { tags: ['a', 'a'] })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; contract.example.com/v1, Kind=Gadget): .spec.tags: duplicate entries for key [="a"]',
          },
        },
      },
      {
        request: apply(
          `${deployments}/x`,
          deployment('x', {
            template: podTemplate({
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
              ],
            }),
          }),
        ),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="web"].env: duplicate entries for key [name="A"]',
          },
        },
      },
    ],
  },
];
