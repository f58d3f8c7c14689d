import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../shared/config/config.ts';
import { runAlone } from '../cli/ground.ts';
import { moduleNames } from './configuration.ts';
import { openTofu, type Workspace } from './tofu.ts';

/** Runs the provider-free modules for real, in OpenTofu, and holds what they say to what the code says. */
export function runModules(): void {
  let tofu: Awaited<ReturnType<typeof openTofu>>;
  const opened = new Map<string, Workspace>();
  const workspace = (name: string): Workspace => opened.get(name)!;

  beforeAll(async () => {
    tofu = await openTofu();
    for (const name of moduleNames) opened.set(name, await tofu.open(name));
  });
  afterAll(() => Promise.all([...opened.values()].map(({ remove }) => remove())));

  it('is formatted', async () => {
    expect(await tofu.checkFormat()).toBe('');
  });

  it.each(moduleNames)('%s passes its own tests', async (name) => {
    expect(await workspace(name).test()).toMatch(/Success! \d+ passed, 0 failed/);
  });

  describe('the sink filter', () => {
    const place = { project: 'demo-project', location: 'europe-west1-b', cluster: 'main' };
    const own = 'serverless-reconciler@demo-project.iam.gserviceaccount.com';
    const cases: Record<string, Record<'KINDS' | 'NAMESPACES' | 'OWN_IDENTITY', string>> = {
      AllKinds: { KINDS: '', NAMESPACES: '', OWN_IDENTITY: own },
      OneKind: { KINDS: 'Foo', NAMESPACES: '', OWN_IDENTITY: own },
      TwoIdentities: {
        KINDS: 'Website,Database',
        NAMESPACES: '',
        OWN_IDENTITY: `${own},other@demo`,
      },
      NoIdentity: { KINDS: 'ContainerApp', NAMESPACES: '', OWN_IDENTITY: '' },
      Namespaces: { KINDS: '', NAMESPACES: 'team-b,team-a,team-b', OWN_IDENTITY: own },
      NamespacesNoIdentity: { KINDS: 'Website', NAMESPACES: 'team-a', OWN_IDENTITY: '' },
    };

    it.each(Object.entries(cases))(
      'is that of generate, and so of the relay: %s',
      async (_, env) => {
        const words = (text: string) => text.split(',').filter((word) => word !== '');
        const where = Object.entries(place).flatMap(([name, text]) => [`--${name}`, text]);
        const said = await runAlone(['generate', 'sink-filter', ...where, '-o', 'json'], {
          env,
          home: '/nonexistent',
        });
        const want = JSON.parse(said.out) as Sink;
        const { filter, exclusions } = await workspace('filter').outputs({
          ...place,
          kinds: words(env.KINDS),
          namespaces: words(env.NAMESPACES),
          own_identity: words(env.OWN_IDENTITY),
        });
        expect(filter).toBe(want.filter);
        expect(exclusions).toEqual(
          Object.fromEntries(want.exclusions.map(({ name, filter: text }) => [name, text])),
        );
      },
    );
  });

  describe('the settings', () => {
    const given = {
      project: 'demo-project',
      region: 'europe-west1',
      clusters: [
        { name: 'main', location: 'europe-west1', endpoint: 'a.europe-west1.gke.goog' },
        {
          name: 'main',
          location: 'us-east1-b',
          endpoint: 'b.us-east1.gke.goog',
          project: 'other-p',
        },
      ],
      namespaces: ['team-a', 'team-b'],
      kinds: ['Foo', 'Website'],
      deadline_seconds: { resync: 600, audit: 60 },
      fan_out: true,
      environment: { PRUNE_LIMIT: '25%', LOG_LEVEL: 'DEBUG', SETTLE_SECONDS: '0' },
    };

    it('are an environment that the functions take', async () => {
      const { functions, user } = await workspace('settings').outputs(given);
      const { resync, audit } = functions as Functions;
      expect(parseConfig(resync.environment)).toMatchObject({
        clusters: [
          { name: 'demo-project/europe-west1/main', endpoint: 'a.europe-west1.gke.goog' },
          { name: 'other-p/us-east1-b/main', endpoint: 'b.us-east1.gke.goog' },
        ],
        namespaces: ['team-a', 'team-b'],
        deadlineSeconds: 600,
        settleSeconds: 0,
        ownIdentity: [user],
        fanOut: { topic: 'projects/demo-project/topics/serverless-reconciler-fan-out' },
        logLevel: 'DEBUG',
      });
      expect(parseConfig(resync.environment).kinds.map(({ kind }) => kind)).toEqual(given.kinds);
      expect(parseConfig(audit.environment)).toMatchObject({ deadlineSeconds: 60 });
      expect(parseConfig(audit.environment).fanOut).toBeUndefined();
    });

    it('have deadlines in order: whoever calls outlasts the function, and it its own deadline', async () => {
      const outputs = await workspace('settings').outputs(given);
      const { resync, audit } = outputs.functions as Functions;
      const graceSeconds = 15;
      expect(resync.timeout_seconds).toBeGreaterThan(600 + graceSeconds);
      expect(audit.timeout_seconds).toBeGreaterThan(60 + graceSeconds);
      expect(outputs.attempt_deadline_seconds).toBeGreaterThan(resync.timeout_seconds);
      expect(outputs.ack_deadline_seconds).toBeGreaterThan(audit.timeout_seconds);
    });
  });
}

interface Sink {
  readonly filter: string;
  readonly exclusions: readonly { readonly name: string; readonly filter: string }[];
}

interface Function {
  readonly timeout_seconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

type Functions = Readonly<Record<'resync' | 'audit', Function>>;
