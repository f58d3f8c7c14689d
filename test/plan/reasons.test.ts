import { describe, expect, it } from 'vitest';
import { blocked, exposurePending, waitingFor } from '../../shared/plan/decision/reasons.ts';

const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' };
const service = { apiVersion: 'v1', kind: 'Service', name: 'shop' };

describe('the reason of a decision', () => {
  it.each([
    [
      'an exposure that waits',
      exposurePending(ingress).message,
      'Ingress shop waits for an earlier change of another Ingress, so that no request is admitted without authorization',
    ],
    [
      'a child that needs another',
      waitingFor(ingress, service).message,
      'Ingress shop waits for Service shop',
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
});
