import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { addApp } from '../../infra/app/app.ts';
import type { Stream } from '../../infra/cli/output/print.ts';
import { runCommand } from '../../infra/cli/run-command.ts';
import { install } from '../../infra/generate/install.ts';
import type { Policies } from '../../shared/config/define-config.ts';
import type { Environment } from '../../shared/environment.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { kinds as allKinds, config, configFile as ownConfigFile } from '../support/config.ts';

/** The output of a command and its exit code. */
export interface Output {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A cluster with the installed reconciler and no resources, and the command with its own home directory. */
export interface CliGround {
  readonly cluster: LocalCluster;
  /** Client for the namespace `default`. */
  readonly api: Api;
  readonly admin: Api;
  readonly directory: string;
  readonly kubeconfig: string;
  run(argv: readonly string[], how?: How): Promise<Output>;
  stop(): Promise<void>;
}

export interface How {
  readonly env?: Environment;
  /** Makes stdout and stderr terminals. */
  readonly isTTY?: boolean;
  /** Width of the terminals. */
  readonly columns?: number;
  /** Answers a question; by default there is no terminal to ask on. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** The kubeconfig of npm start; by default there is none. */
  readonly localKubeconfig?: string;
  /** Default: the identity of this repository's configuration. */
  readonly identity?: Identity;
  /** Default: the kinds of this repository's configuration. */
  readonly kinds?: readonly Kind[];
  /** Default: none. */
  readonly policies?: Policies;
  /** Default: the configuration file of this repository. */
  readonly configFile?: string;
  readonly now?: () => Date;
  /** Waits between checks; by default it resolves at once. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

interface GroundOptions {
  readonly kinds?: readonly Kind[];
  /** Clock of the cluster, and of a command that sets no `now`. */
  readonly clock?: () => Date;
}

export async function openCliGround({
  kinds = allKinds,
  clock = () => new Date(),
}: GroundOptions = {}): Promise<CliGround> {
  const directory = await mkdtemp(join(tmpdir(), 'cli-'));
  const cluster = await startLocalCluster({ controllers: 'paused', clock });
  const client = createClient({ url: cluster.url });
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds,
    user: 'operator',
    samples: false,
  });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig());
  return {
    cluster,
    api: openApi(client, 'default'),
    admin: openApi(client),
    directory,
    kubeconfig,
    run: (argv, { env = {}, ...how } = {}) =>
      runAlone(argv, {
        now: clock,
        ...how,
        env: { KUBECONFIG: kubeconfig, ...env },
        home: directory,
      }),
    async stop() {
      await client.close();
      await cluster.stop();
      await rm(directory, { recursive: true });
    },
  };
}

/** Runs the command without a cluster. */
export async function runAlone(
  argv: readonly string[],
  {
    env = {},
    isTTY = false,
    columns,
    confirm,
    home,
    localKubeconfig = '/nonexistent/kubeconfig',
    configFile = ownConfigFile,
    identity = config.identity,
    kinds,
    policies = {},
    now = () => new Date(),
    wait = async () => undefined,
  }: How & { readonly home: string },
): Promise<Output> {
  const out = captured({ isTTY, columns });
  const err = captured({ isTTY, columns });
  const code = await runCommand(
    argv,
    {
      env: { HOME: home, SETTLE_SECONDS: '0', ...env },
      configFile: () => configFile,
      loadConfig: async () => ({
        ...config,
        identity,
        policies,
        ...(kinds === undefined ? {} : { kindsFor: () => kinds }),
      }),
      out: out.stream,
      err: err.stream,
      localKubeconfig,
      now,
      wait,
      confirm,
    },
    [addApp],
  );
  const isProgressWanted = isTTY || argv.includes('--progress');
  return {
    code,
    out: out.text(),
    err: isProgressWanted ? err.text() : withoutProgress(err.text()),
  };
}

function captured(size: { readonly isTTY: boolean; readonly columns: number | undefined }) {
  const parts: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (part) => parts.push(String(part)));
  const terminal: Stream = Object.assign(stream, size);
  return { stream: terminal, text: () => parts.join('') };
}

/** Removes the lines about progress and steps, which only a slow machine shows. */
const withoutProgress = (err: string): string =>
  err.replaceAll(/^(\d+ of \d+ resources, .*|.* …|.*: \d+ (of|specs,) .*)\n/gm, '');
