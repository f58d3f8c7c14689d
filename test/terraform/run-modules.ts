import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../shared/environment.ts';
import { parseSettings } from '../../shared/google/settings.ts';
import { runAlone } from '../cli/command-runner.ts';
import { parseConfig } from '../support/config.ts';
import { moduleNames } from './configuration.ts';
import { openTofu, type Workspace } from './tofu.ts';
import { installation, refused, variants } from './variants.ts';

/** Runs the modules that need no provider in OpenTofu, and compares their outputs with the code. */
export function runModules(): void {
  let tofu: Awaited<ReturnType<typeof openTofu>>;
  const opened = new Map<string, Workspace>();
  const workspace = (name: string): Workspace => opened.get(name)!;

  beforeAll(async () => {
    tofu = await openTofu();
    for (const name of moduleNames) opened.set(name, await tofu.open(name));
  });
  afterAll(() => Promise.all([...opened.values()].map(({ remove }) => remove())));

  it('the Terraform code is formatted', async () => {
    expect(await tofu.checkFormat()).toBe('');
  });

  it.each(moduleNames)('the module %s passes its own tests', async (name) => {
    expect(await workspace(name).test()).toMatch(/Success! \d+ passed, 0 failed/);
  });

  it.each([
    'count = 1',
    'for_each = toset(["a", "b"])',
    'depends_on = [terraform_data.first]',
    'providers = { google = google.other }',
  ])('the root module can be called with %s', async (argument) => {
    const errors = await tofu.call(`
      terraform {
        required_providers {
          google = { source = "hashicorp/google" }
        }
      }
      provider "google" {
        alias = "other"
      }
      resource "terraform_data" "first" {}
      module "reconciler" {
        source   = "./module"
        project  = "demo-project"
        region   = "europe-west1"
        clusters = []
        ${argument}
      }
    `);
    expect([...errors]).toEqual(['Failed to query available provider packages']);
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
      'equals that of generate, which the relay uses as well: %s',
      async (_, env) => {
        const words = (text: string) => text.split(',').filter((word) => word !== '');
        const where = Object.entries(place).flatMap(([name, text]) => [`--${name}`, text]);
        const output = await runAlone(['generate', 'sink-filter', ...where, '-o', 'json'], {
          env,
          home: '/nonexistent',
        });
        const want = JSON.parse(output.out) as Sink;
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
    it.each(Object.entries(variants))(
      'are an environment that both functions accept: %s',
      async (_, { given, want, settings = {}, kinds }) => {
        const variables = { ...installation, ...given };
        const { functions } = await workspace('settings').outputs(variables);
        const { resync, audit } = functions as Functions;
        const config = parseConfig(resync.environment);
        expect(config).toMatchObject(want);
        expect(settingsOf(resync)).toMatchObject(settings);
        if (kinds !== undefined) expect(config.kinds.map(({ kind }) => kind)).toEqual(kinds);
        // The audit function makes the runs of the messages, and publishes none.
        const { clusters, namespaces } = config;
        expect(parseConfig(audit.environment)).toMatchObject({ clusters, namespaces });
        expect(settingsOf(audit).topic).toBeUndefined();
      },
    );

    it.each(Object.entries(refused))(
      'are refused if the functions would refuse to start: %s',
      async (_, { cluster, environment }) => {
        const [main] = installation.clusters;
        const clusters = [{ ...main, ...cluster }];
        const { endpoint, ca } = { ca: '', ...clusters[0]! };
        expect(() =>
          parseConfig({ CLUSTER_ENDPOINT: endpoint, CLUSTER_CA: ca, ...environment }),
        ).toThrow(ConfigError);
        const variables = { ...installation, clusters, ...(environment && { environment }) };
        await expect(workspace('settings').outputs(variables)).rejects.toThrow(
          'Invalid value for variable',
        );
      },
    );

    it('order the timeouts: the caller waits longer than the function runs, and that longer than its deadline', async () => {
      const outputs = await workspace('settings').outputs({
        ...installation,
        deadline_seconds: { resync: 600, audit: 60 },
      });
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

const settingsOf = ({ environment }: Function) => parseSettings((name) => environment[name] ?? '');

type Functions = Readonly<Record<'resync' | 'audit', Function>>;
