import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { foo } from '../../../systems/foo.ts';
import { json } from '../functions.ts';
import type { Scenarios } from '../place.ts';
import { newFoo, newSite } from '../resources.ts';

const raw = (body: string, type = 'application/json'): RequestInit => ({
  headers: { 'content-type': type },
  body,
});

/** Responses of the functions to invalid requests, and with other settings. */
export const doors: Scenarios = {
  async 'doors: an invalid request is refused with a 4xx'({ stage, namespace }) {
    const { functions } = stage;
    const refusals: readonly (readonly [string, 'resync' | 'audit', RequestInit, number])[] = [
      ['DELETE', 'audit', { method: 'DELETE' }, 405],
      ['PUT', 'resync', { method: 'PUT', ...json({ namespace }) }, 405],
      ['empty', 'audit', raw(''), 400],
      ['not JSON', 'resync', raw('{"namespace":'), 400],
      ['not JSON', 'audit', raw('{'), 400],
      ['plain text', 'resync', raw('hello'), 400],
      ['no JSON by its type', 'resync', raw('{}', 'text/plain'), 415],
      ['a list', 'resync', json([namespace]), 400],
      ['unknown field', 'resync', json({ namespace, nmae: 'x' }), 400],
      ['name alone', 'resync', json({ name: 'x' }), 400],
      ['unknown kind', 'resync', json({ kind: 'Deployment', namespace }), 400],
      ['illegal namespace', 'resync', json({ namespace: '../kube-system' }), 400],
      ['10 MB', 'resync', raw(JSON.stringify({ namespace: 'x'.repeat(10_000_000) })), 413],
      ['10 MB', 'audit', raw(JSON.stringify({ data: 'x'.repeat(10_000_000) })), 413],
    ];
    for (const [what, target, request, status] of refusals) {
      const response = await functions.send(functions.url(target), request);
      expect([what, target, response.status]).toEqual([what, target, status]);
      if (status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    }
    expect((await functions.resync({ namespace })).resources.total).toBe(0);
  },

  async 'doors: an unknown envelope is acknowledged and counted'({ stage }) {
    const { functions } = stage;
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const envelopes: readonly unknown[] = [
      {},
      { hello: 'world' },
      { message: {} },
      { message: { data: 17 } },
      { message: { data: base64('not JSON') } },
      { message: { data: base64('{"protoPayload":{"serviceName":"storage"}}') } },
      { version: 2, request: {} },
      { version: 1, request: { namespace: '../x' } },
      { apiVersion: 'audit.k8s.io/v1beta1', kind: 'EventList', items: [] },
      { apiVersion: 'audit.k8s.io/v1', kind: 'EventList', items: [null, 17, { stage: 'Panic' }] },
    ];
    for (const envelope of envelopes) {
      const { status, body } = await functions.post('audit', envelope);
      expect([envelope, status]).toEqual([envelope, 200]);
      expect(body).toMatchObject({ reconcileRequests: [] });
      expect(Object.keys((body as { dropped: object }).dropped)).not.toEqual([]);
    }
  },

  async 'doors: KINDS and NAMESPACES restrict what a function does'(place) {
    const elsewhere = await place.another();
    for (const where of [place, elsewhere]) {
      await newFoo(where, 'example', 'chosen');
      await newSite(where);
    }
    const { functions } = place.stage;
    const restricted = await functions.another('resync', {
      KINDS: 'foos.example.com',
      NAMESPACES: place.namespace,
      SETTLE_SECONDS: '0',
    });
    try {
      const report = await functions.resync({}, restricted.url);
      expect(report.resources.total).toBe(1);
      expect(Object.keys(report.requests)).not.toContain('websites.kubecon.my.domain');
      expect(await place.api.list(deployment)).toHaveLength(1);
      expect(await place.api.list(service)).toEqual([]);
      expect(await elsewhere.writes()).toEqual([]);
      for (const request of [{ kind: 'Website' }, { namespace: elsewhere.namespace }]) {
        const { status, body } = await functions.send(restricted.url, json(request));
        expect(status).toBe(400);
        expect(body).toMatchObject({
          error: `the request selects nothing: this function reconciles Foo in ${place.namespace}`,
        });
      }
    } finally {
      await restricted.stop();
    }
  },

  async 'doors: with DRY_RUN nothing is written, and planned writes are named'(place) {
    await newFoo(place, 'example', 'chosen');
    await place.converge();
    await newFoo(place, 'other', 'another');
    await place.api.scale(deployment, 'chosen', 5);
    const { functions } = place.stage;
    const { namespace } = place;
    const dry = await functions.another('resync', { DRY_RUN: 'true' });
    try {
      const writes = await place.writes();
      const { undone, outcomes } = await functions.resync({ namespace }, dry.url);
      expect(undone.toSorted()).toEqual([
        `foos.example.com ${namespace}/example`,
        `foos.example.com ${namespace}/other`,
      ]);
      expect(outcomes).toMatchObject({ created: 0, updated: 0 });
      expect(await place.writes()).toEqual(writes);
    } finally {
      await dry.stop();
    }
  },

  async 'doors: a request for one resource leaves the others alone'(place) {
    await newFoo(place, 'one', 'one');
    await newFoo(place, 'two', 'two');
    const { functions } = place.stage;
    const { namespace } = place;
    for (const kind of ['Foo', 'foos', 'foos.example.com']) {
      const report = await functions.resync({ kind, namespace, name: 'one' });
      expect(report.resources.total).toBe(1);
    }
    expect(await place.api.list(deployment)).toMatchObject([{ metadata: { name: 'one' } }]);
    expect((await place.api.get(foo, 'two')).status).toEqual({ observedGeneration: -1 });
  },
};
