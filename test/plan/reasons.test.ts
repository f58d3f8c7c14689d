import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import {
  blocked,
  exposurePending,
  immutableFields,
  waitingFor,
} from '../../shared/plan/decision/reasons.ts';
import { refTo } from '../../shared/plan/observed/world.ts';
import { create, decision, none } from '../support/decisions.ts';

const gadget = defineChildType({
  group: 'example.org',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
});
const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' };
const service = { apiVersion: 'v1', kind: 'Service', name: 'shop' };

describe('the reason of a decision', () => {
  it.each([
    [
      'an exposure that waits',
      exposurePending(ingress).message,
      'Ingress shop waits until another Ingress has changed, so that no request is admitted without authorization',
    ],
    [
      'a child that needs another',
      waitingFor(decision('Deployment', 'shop', none), service).message,
      'Deployment shop waits for Service shop',
    ],
    [
      'a deleted child that needs another',
      waitingFor(decision('Deployment', 'shop', create({}, true)), service).message,
      'Deployment shop was deleted, and waits for Service shop',
    ],
    [
      'a new child that needs another',
      waitingFor(decision('Deployment', 'shop', create({}, false)), service).message,
      'Deployment shop waits for Service shop',
    ],
  ])('names the children of %s', (_, message, expected) => {
    expect(message).toBe(expected);
  });

  it.each([
    ['temporarily', true, 'wait'],
    ['permanently', false, 'block'],
    ['without a duration', undefined, 'block'],
  ] as const)("is the kind's own reason if it blocks the child %s", (_, transient, verb) => {
    const why = { reason: 'Held', message: 'it is held' };
    expect(blocked(transient === undefined ? why : { ...why, transient })).toEqual({
      verb,
      ...why,
    });
  });

  it.each([
    [deployment, 'spec.selector', 'delete the Deployment to have it recreated'],
    [secret, 'data.username', 'save its data, and delete the Secret to have it recreated'],
    [roleBinding, 'roleRef.name', 'delete the RoleBinding to have it recreated'],
    [gadget, 'spec.size', 'save its data, and delete the Gadget to have it recreated'],
  ])(
    'says how to change an immutable field without a loss of data, case %#',
    (type, path, want) => {
      const { message } = immutableFields({ child: refTo(type, 'shop'), type }, [path]);
      expect(message).toBe(`${type.kind} shop: ${path} differs and cannot be changed; ${want}`);
    },
  );
});
