import type { ApiRequest } from '../../../client.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { deployment, gadget, gadgetStatus, paths, service } from '../objects.ts';
import { apply, jsonPatch, mergePatch, post, strategicPatch } from '../requests.ts';

const d = `${paths.deployments}/x`;
const deployed: Step = { request: apply(d, deployment('x')), expect: { status: 201 } };

const answers = (request: ApiRequest, status: number): Step => ({ request, expect: { status } });

/** Replaces the number 777 in a body with the given text. */
const written = (body: unknown, number: string): string =>
  JSON.stringify(body).replace('777', number);

const posted = (spec: object, status: number): Step =>
  answers(post(paths.deployments, deployment('other', spec)), status);

export const cases: readonly ContractCase[] = [
  {
    id: 'bits',
    reason: 'an integer beyond 32 bits in a body or patch is refused',
    steps: [
      deployed,
      posted({ replicas: 9_999_999_999 }, 400),
      posted({ replicas: -2_147_483_649 }, 400),
      posted({ progressDeadlineSeconds: 2_147_483_648 }, 400),
      posted({ strategy: { rollingUpdate: { maxSurge: 99_999_999_999 } } }, 400),
      answers(mergePatch(d, { spec: { replicas: 9_999_999_999 } }), 422),
      answers(jsonPatch(d, [{ op: 'replace', path: '/spec/replicas', value: 1e20 }]), 422),
      answers(
        jsonPatch(d, [
          { op: 'add', path: '/spec/strategy/rollingUpdate/maxSurge', value: 99_999_999_999 },
        ]),
        422,
      ),
    ],
  },
  {
    id: 'wrapped',
    reason: 'apply and strategic merge patches wrap integers to 32 bits',
    steps: [
      deployed,
      {
        request: strategicPatch(d, { spec: { revisionHistoryLimit: 9_999_999_999 } }),
        expect: { status: 200, at: { 'spec.revisionHistoryLimit': 1_410_065_407 } },
      },
      {
        request: apply(d, deployment('x', { revisionHistoryLimit: 9_999_999_998 })),
        expect: { status: 200, at: { 'spec.revisionHistoryLimit': 1_410_065_406 } },
      },
    ],
  },
  {
    id: 'fractions',
    reason: '1.0 is not an integer of a built-in kind',
    steps: [
      deployed,
      answers(post(paths.deployments, written(deployment('y', { replicas: 777 }), '1.0')), 400),
      answers(post(paths.services, written(service('y', { ports: [{ port: 777 }] }), '8e1')), 400),
      answers(
        post(
          paths.services,
          written(service('y', { ports: [{ port: 1, targetPort: 777 }] }), '8.0'),
        ),
        400,
      ),
      answers(mergePatch(d, '{"spec":{"replicas":0.0}}'), 422),
      answers(jsonPatch(d, '[{"op":"replace","path":"/spec/replicas","value":0.0}]'), 422),
      answers(jsonPatch(d, '[{"op":"test","path":"/spec/replicas","value":0.0}]'), 422),
      answers(strategicPatch(d, '{"spec":{"replicas":0.0}}'), 200),
    ],
  },
  {
    id: 'amounts',
    reason: 'quantities may be numbers of any form',
    steps: [
      {
        request: post(
          paths.deployments,
          written(
            deployment('x', {
              template: {
                metadata: { labels: { app: 'web' } },
                spec: {
                  containers: [
                    {
                      name: 'web',
                      image: 'i',
                      resources: { requests: { cpu: 777, memory: null } },
                    },
                  ],
                },
              },
            }),
            '1.0',
          ),
        ),
        expect: {
          status: 201,
          at: {
            'spec.template.spec.containers.0.resources.requests': { cpu: '1', memory: '0' },
          },
        },
      },
    ],
  },
  {
    id: 'custom',
    reason: 'the test of a JSON patch compares how a number is written, of any kind',
    steps: [
      { request: post(paths.gadgets, gadget('x', { size: 1 })), expect: { status: 201 } },
      answers(
        jsonPatch(`${paths.gadgets}/x`, '[{"op":"test","path":"/spec/size","value":1.0}]'),
        422,
      ),
      answers(
        jsonPatch(`${paths.gadgets}/x`, '[{"op":"test","path":"/spec/size","value":1}]'),
        200,
      ),
    ],
  },
  {
    id: 'beyond-64-bits',
    reason: 'an integer beyond 64 bits is no integer of a custom resource',
    steps: [
      ...(['min', 'anyPort'] as const).flatMap((field) => [
        answers(post(paths.gadgets, written(gadget('x', { [field]: 777 }), '1e19')), 422),
        answers(
          post(paths.gadgets, written(gadget('x', { [field]: 777 }), '-20000000000000000000')),
          422,
        ),
        answers(post(paths.gadgets, gadget(field.toLowerCase(), { [field]: 2 ** 62 })), 201),
      ]),
      answers(post(paths.gadgets, gadget('x', { ratio: 2 ** 64, free: { any: 2 ** 64 } })), 201),
      {
        request: apply(
          `${paths.gadgets}/x/status`,
          gadgetStatus('x', { observedGeneration: 2 ** 64 }),
        ),
        expect: {
          status: 422,
          body: { message: /observedGeneration in body must be of type integer: "number"/ },
        },
      },
    ],
  },
];
