import { describe, expect, it } from 'vitest';
import { readWatchEvent } from '../../shared/audit/contents.ts';
import { childTypes } from './samples.ts';

const of = (action: string): string => `dev.knative.apiserver.${action}`;
const service = { apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'x' };
const read = (type: string, object: unknown) => readWatchEvent({ type }, object, childTypes);

describe('readWatchEvent', () => {
  it.each([
    ['ref.add', 'create'],
    ['ref.update', 'update'],
    ['ref.delete', 'delete'],
    ['resource.add', 'create'],
    ['resource.update', 'update'],
    ['resource.delete', 'delete'],
  ])('reads %s as %s', (action, verb) => {
    const { namespace, name, ...type } = service;
    const object = action.startsWith('ref') ? service : { ...type, metadata: { namespace, name } };
    expect(read(of(action), object)).toStrictEqual({
      group: '',
      version: 'v1',
      plural: 'services',
      namespace: 'a',
      name: 'x',
      verb,
      user: '',
      failed: false,
      dryRun: false,
    });
  });

  it('keeps the version of the event, and accepts an object without a namespace', () => {
    const object = { apiVersion: 'apps/v1beta1', kind: 'Deployment', namespace: '', name: 'x' };
    const found = read(of('ref.add'), object);
    expect(found).toMatchObject({ group: 'apps', version: 'v1beta1', plural: 'deployments' });
    expect(found).not.toHaveProperty('namespace');
  });

  it.each([undefined, '', of('ref.replace'), of('ref.add.more'), 'constructor'])(
    'does not read a CloudEvent of type %j',
    (type) => expect(readWatchEvent({ type }, service, childTypes)).toBeUndefined(),
  );

  it.each([
    [
      'a kind of the same name in another group',
      { ...service, apiVersion: 'serving.knative.dev/v1' },
    ],
    ['an unknown kind', { ...service, kind: 'Pod' }],
    ['no kind', {}],
    ['no object', 5],
  ])('drops %s', (_, object) =>
    expect(read(of('ref.add'), object)).toEqual({ dropped: 'another type' }),
  );
});
