import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DetailView, ResourceView, RolloutView } from '../../infra/dashboard/views.ts';
import { rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { kind } from '../properties/rollout-fleet.ts';
import { type Follower, follow, type Message, post } from './ground.ts';
import { names, openRolloutGround, type RolloutGround } from './rollout-ground.ts';

let ground: RolloutGround;
let page: Follower;
beforeEach(async () => {
  ground = await openRolloutGround();
  page = await follow(ground.dashboard.url);
});
afterEach(async () => {
  page.close();
  await ground.stop();
});

const definition = 'fleets.example.org';
const send = (path: string, body: unknown) => post(ground.dashboard.url, path, body);

const rolloutIn = ({ name, data }: Message): RolloutView | undefined =>
  name === 'snapshot' || name === 'delta' ? data.rollouts[0] : undefined;

/** Resolves with what the page shows of the rollout once it is in this state. */
async function shown(state: RolloutView['state']): Promise<RolloutView> {
  const found = rolloutIn(await page.until((message) => rolloutIn(message)?.state === state));
  if (found === undefined) throw new Error(`no rollout is ${state}`);
  return found;
}

/** Resolves with a resource that waits for a slot in the rollout. */
async function waiting(): Promise<ResourceView> {
  await shown('underWay');
  const views = page.all.flatMap(({ name, data }) => (name === 'snapshot' ? data.resources : []));
  const found = views.findLast(({ rollout }) => rollout?.reason === 'Waiting');
  if (found === undefined) throw new Error('none waits');
  return found;
}

async function halt(): Promise<RolloutView> {
  ground.passTimeout();
  await ground.resync();
  return shown('halted');
}

it('the history of a resource shows the time since which it waits for a rollout', async () => {
  const { id } = await waiting();
  const { response } = await send('detail', { id });
  expect((response as DetailView).history).toContainEqual(
    expect.objectContaining({ source: 'rollout', title: 'Waiting' }),
  );
});

describe('a rollout button of the dashboard', () => {
  it('pauses a rollout and resumes it', async () => {
    const { resource, underWay, waiting: count } = await shown('underWay');
    expect({ resource, underWay, count }).toEqual({ resource: definition, underWay: 1, count: 4 });
    expect(await send('rollout/pause', { resource })).toEqual({
      code: 200,
      response: {
        text: 'pausing the rollout of Fleet: 1 resource under way will continue, 4 will wait until the rollout is resumed',
        problems: [],
      },
    });
    expect(await ground.annotation()).toBe('paused');
    await ground.settled();
    await ground.resync();
    await ground.resync();
    const { state, failed } = await shown('paused');
    expect(await send('rollout/resume', { resource, state, failed })).toMatchObject({ code: 200 });
    expect(await ground.annotation()).toBeUndefined();
    await ground.resync();
    await page.until((message) => rolloutIn(message)?.underWay === 2);
  });

  it('resumes after a halt, and ignores earlier failures', async () => {
    const { resource, state, failed } = await halt();
    expect(failed).toBe(1);
    const { code, response } = await send('rollout/resume', { resource, state, failed });
    expect({ code, response }).toEqual({
      code: 200,
      response: {
        text: expect.stringMatching(
          /^resuming Fleet: 4 resources waiting; no longer counted as failed: default\/[a-e]$/,
        ),
        problems: [],
      },
    });
    expect(await ground.annotation()).toMatch(/^20\d\d-/);
    await ground.resync();
    await page.until((message) => {
      const found = rolloutIn(message);
      return found?.underWay === 1 && found.failed === 1;
    });
  });

  it('moves a resource to the front, and the page shows it there', async () => {
    const { id, name } = await waiting();
    const { code, response } = await send('rollout/first', { id });
    expect({ code, response }).toMatchObject({
      code: 200,
      response: { text: expect.stringContaining(`Fleet default/${name} will be changed first`) },
    });
    expect((await ground.api.get(kind, name)).metadata.annotations).toEqual({
      [rolloutFirstAnnotation]: 'true',
    });
    await page.until(
      (message) =>
        message.name === 'delta' &&
        message.data.changed.some((one) => one.name === name && one.first),
    );
    expect((await send('rollout/first', { id })).code, 'again').toBe(200);
  });
});

describe("the dashboard's server refuses, without a write,", () => {
  const states: Readonly<Record<string, { path: string; body: object; error: RegExp }>> = {
    'a kind that is not configured': {
      path: 'rollout/pause',
      body: { resource: 'nopes.example.org' },
      error: /nopes\.example\.org is not in the configuration/,
    },
    'a body without a kind': { path: 'rollout/pause', body: {}, error: /not in the configuration/ },
    'a resource that does not exist': {
      path: 'rollout/first',
      body: { id: 'nope' },
      error: /resource nope no longer exists/,
    },
    'to resume a rollout that was shown as paused, but is not': {
      path: 'rollout/resume',
      body: { resource: definition, state: 'paused', failed: 0 },
      error: /has changed since it was shown, so nothing was written: look at it again/,
    },
    'to resume a rollout without the state that was shown': {
      path: 'rollout/resume',
      body: { resource: definition },
      error: /has changed since it was shown/,
    },
  };
  it.each(Object.entries(states))('%s', async (_, { path, body, error }) => {
    await shown('underWay');
    expect(await send(path, body)).toMatchObject({
      code: 409,
      response: { error: expect.stringMatching(error) },
    });
    expect(await ground.annotation()).toBeUndefined();
  });

  it('to resume after a halt if more resources have failed than were shown', async () => {
    const { resource, state } = await halt();
    expect(await send('rollout/resume', { resource, state, failed: 0 })).toMatchObject({
      code: 409,
      response: { error: expect.stringContaining('has changed since it was shown') },
    });
    expect(await ground.annotation()).toBeUndefined();
  });

  it('to resume before a run has noticed the failure, because it would halt again', async () => {
    await shown('underWay');
    ground.passTimeout();
    expect(
      await send('rollout/resume', { resource: definition, state: 'halted', failed: 1 }),
    ).toMatchObject({
      code: 409,
      response: { error: expect.stringContaining('resume the rollout after that resync') },
    });
  });

  it('to pause a rollout that someone else changes at the same moment', async () => {
    await shown('underWay');
    const effect = { kind: 'status', code: 409 } as const;
    ground.cluster.faults.add({ resource: 'customresourcedefinitions', verb: 'patch', effect });
    const { code, response } = await send('rollout/pause', { resource: definition });
    ground.cluster.undisturb();
    expect({ code, response }).toEqual({
      code: 409,
      response: {
        error:
          'the object was changed in the meantime, so nothing was written: check it and try again',
      },
    });
  });

  it.each(['pause', 'resume', 'first'])(
    'to %s with --read-only, or without the token',
    async (one) => {
      const { id, name } = await waiting();
      const body = { id, resource: definition, state: 'underWay', failed: 0 };
      const follower = await follow(ground.readOnly.url);
      await follower.until((message) => message.name === 'snapshot');
      expect(await post(ground.readOnly.url, `rollout/${one}`, body)).toMatchObject({
        code: 409,
        response: { error: expect.stringMatching(/read-only/) },
      });
      follower.close();
      expect((await post(ground.dashboard.url, `rollout/${one}`, body, 'x')).code).toBe(403);
      expect(await ground.annotation()).toBeUndefined();
      expect((await ground.api.get(kind, name)).metadata.annotations).toBeUndefined();
    },
  );
});

it('the dashboard reports a missing CRD on a request to pause', async () => {
  await shown('underWay');
  for (const name of names) await ground.api.remove(kind, name);
  await ground.admin.remove(definitionType, definition);
  expect(await send('rollout/pause', { resource: definition })).toMatchObject({
    code: 409,
    response: {
      error: 'the CRD fleets.example.org is not installed: apply it (`generate crds` prints it)',
    },
  });
});
