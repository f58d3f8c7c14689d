import { isIP } from 'node:net';
import type { Command } from 'commander';
import type { Config } from '../../../shared/config/config.ts';
import { givenVariables } from '../../../shared/environment.ts';
import { present } from '../../../shared/json.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import { auditPolicy, auditWebhook } from '../../generate/audit/audit-policy.ts';
import { chartFiles } from '../../generate/chart/chart.ts';
import { kustomizationOf, rbacFiles, yaml } from '../../generate/files.ts';
import { watchedTypes } from '../../generate/knative/api-server-source.ts';
import { knativeManifests } from '../../generate/knative/knative.ts';
import { kubernetesManifests } from '../../generate/kubernetes-manifests.ts';
import { metricsVariables, type PodSettings, userIn } from '../../generate/pod.ts';
import { passedThrough } from '../../generate/terraform-variables.ts';
import { type Cli, example } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import {
  manifests,
  type OutputOptions,
  printOrWrite,
  requireNamespace,
  requireOut,
  settingsOf,
  withOutput,
} from './product.ts';

interface InstallOptions extends OutputOptions {
  readonly image: string;
  readonly namespace: string;
  readonly namespaces?: string;
  readonly schedule: string;
  readonly auditUrl?: string;
  readonly auditFrom?: string;
  readonly metrics?: true;
}

const withPods = (command: Command): Command =>
  withOutput(command)
    .requiredOption(
      '--image <image>',
      'image of both functions, built with the Dockerfile that `generate container` prints',
    )
    .option(
      '--namespaces <names>',
      'namespaces to reconcile, comma-separated; default: NAMESPACES, else the whole cluster',
    )
    .option('--schedule <cron>', 'schedule of the resync: five cron fields, in UTC', '*/5 * * * *');

const withDeployments = (command: Command): Command =>
  command
    .option(
      '--audit-from <cidrs>',
      'CIDR ranges that may reach the audit function, comma-separated; default: any',
    )
    .option('--metrics', 'serve metrics to Prometheus, at /metrics on port 9464 of each pod');

const withInstallation = (command: Command): Command =>
  withPods(command)
    .requiredOption(
      '--namespace <name>',
      'namespace in which the functions will run; it must exist',
    )
    .option(
      '--audit-url <url>',
      'address of the audit function as the API server reaches it, for audit/webhook.yaml',
    );

export function addKubernetes(parent: Command, cli: Cli): void {
  withDeployments(withInstallation(parent.command('kubernetes')))
    .summary('both functions as Deployments, with their permissions and a CronJob for the resync')
    .description(
      "Prints the functions' service account, its permissions, two Deployments with Services, and a CronJob that calls the resync function. --out adds a kustomization, and the audit policy and webhook for the API server.",
    )
    .addHelpText(
      'after',
      example(
        'generate kubernetes --image registry.example.com/reconciler:1 --namespace reconciler',
      ),
    )
    .action(async (options: InstallOptions) => {
      const auditFrom = blocksOf(options.auditFrom);
      await print(cli, options, (installation) =>
        kubernetesManifests({ ...installation, auditFrom }),
      );
    });
}

export function addKnative(parent: Command, cli: Cli): void {
  withInstallation(parent.command('knative'))
    .summary('both functions as Knative Services, with event sources for resyncs and changes')
    .description(
      "Prints the functions' service account, its permissions, two Services that scale to zero, a PingSource that starts resyncs, and an ApiServerSource that reports changes, with an account and permissions of its own. --out adds a kustomization, and the API server's audit policy and webhook, which can be used instead of the ApiServerSource.",
    )
    .addHelpText(
      'after',
      example('generate knative --image registry.example.com/reconciler:1 --namespace reconciler'),
    )
    .action((options: InstallOptions) =>
      print(cli, options, (installation, kinds) => {
        for (const type of watchedTypes(kinds, installation.namespaces).unwatched)
          cli.terminal.err.write(
            `${groupResource(type)}: not watched, because an ApiServerSource would guess the wrong plural; only resyncs repair its drift\n`,
          );
        return knativeManifests(installation, kinds);
      }),
    );
}

interface ChartOptions extends OutputOptions, Omit<InstallOptions, 'namespace' | 'auditUrl'> {
  readonly chartVersion: string;
}

export function addHelm(parent: Command, cli: Cli): void {
  withDeployments(withPods(parent.command('helm')))
    .summary('a Helm chart with the CRDs and the manifests that `generate kubernetes` prints')
    .description(
      'Writes a Helm chart: the CRDs, the service account and its permissions, two Deployments with Services, and a CronJob that calls the resync function. Kinds and namespaces are fixed when the chart is written; values of the chart set the image, the schedule, environment variables and pod scheduling.',
    )
    .option('--chart-version <version>', 'version of the chart, as in SemVer 2', '0.1.0')
    .addHelpText(
      'after',
      example('generate helm --image registry.example.com/reconciler:1 --out chart'),
    )
    .action(async (options: ChartOptions) => {
      requireOut(options, 'a chart is a directory');
      requireLegalImage(options);
      if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(options.chartVersion))
        throw new UsageError(
          `--chart-version: "${options.chartVersion}" is not a version; write it as 1.2.3`,
        );
      const { kinds, ...config } = await settingsOf(cli, options);
      const pods = await podsOf(cli, options, config);
      const auditFrom = blocksOf(options.auditFrom);
      const files = chartFiles(kinds, { ...pods, version: options.chartVersion, auditFrom });
      printOrWrite(cli.terminal, { files }, options);
    });
}

type Make = (installation: PodSettings, kinds: readonly Kind[]) => ReadonlyMap<string, object>;

async function print(cli: Cli, options: InstallOptions, make: Make): Promise<void> {
  // Checks the options before the kinds, which take longer.
  requireLegal(options);
  const { kinds, ...config } = await settingsOf(cli, options);
  const pods = await podsOf(cli, options, config);
  const { name, namespaces } = pods;
  const { namespace } = options;
  const user = userIn({ name, namespace });
  const environment = { ...pods.environment, OWN_IDENTITY: user };
  const installation = { ...pods, namespace, environment };
  const grant = { name, user, namespaces };
  const made = new Map([...rbacFiles(kinds, grant), ...make(installation, kinds)]);
  const { files, ...rest } = manifests(made);
  const more = new Map([
    ['kustomization.yaml', yaml(kustomizationOf(made.keys()))],
    ['audit/policy.yaml', yaml(auditPolicy(kinds))],
    ['audit/webhook.yaml', yaml(auditWebhook(auditUrlOf(cli, options)))],
  ]);
  printOrWrite(cli.terminal, { ...rest, files: new Map([...files, ...more]) }, options);
}

function requireLegal({ namespace, auditUrl, ...options }: InstallOptions): void {
  requireLegalImage(options);
  requireNamespace(namespace);
  if (auditUrl !== undefined && !['http:', 'https:'].includes(URL.parse(auditUrl)?.protocol ?? ''))
    throw new UsageError(
      `--audit-url: "${auditUrl}" is not an http(s) address; write it as https://host/path`,
    );
}

function requireLegalImage({ image, schedule }: Pick<InstallOptions, 'image' | 'schedule'>): void {
  if (!/^[\w][\w.:/@-]{0,511}$/.test(image))
    throw new UsageError(`--image: "${image}" is not an image; write it as host/name:tag`);
  const field = '[\\d*/,A-Za-z-]+';
  if (!new RegExp(`^${field}( ${field}){4}$`).test(schedule))
    throw new UsageError(
      `--schedule: "${schedule}" is not a schedule; write five fields, for example "*/5 * * * *"`,
    );
}

async function podsOf(
  { terminal: { env }, config: load }: Cli,
  { image, schedule, metrics }: Pick<InstallOptions, 'image' | 'schedule' | 'metrics'>,
  { identity: { name }, namespaces, deadlineSeconds }: Omit<Config, 'kinds'>,
) {
  const { settings } = await load();
  const environment = {
    ...givenVariables(['KINDS', 'DEADLINE_SECONDS', ...passedThrough, ...settings], env),
    ...present({ NAMESPACES: namespaces?.join(',') }),
    ...(metrics === true ? metricsVariables : {}),
  };
  return { name, image, schedule, deadlineSeconds, namespaces, environment };
}

const placeholderUrl = 'http://AUDIT-ADDRESS/';

/** Without --audit-url, returns a placeholder, and warns of it if --out writes audit/webhook.yaml. */
function auditUrlOf({ terminal: { err } }: Cli, { auditUrl, out }: InstallOptions): string {
  if (auditUrl === undefined && out !== undefined)
    err.write(
      `no --audit-url is given: replace ${placeholderUrl} in audit/webhook.yaml with the address of the audit function\n`,
    );
  return auditUrl ?? placeholderUrl;
}

function blocksOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const blocks = text.split(',').map((block) => block.trim());
  const bad = blocks.find((block) => !isBlock(block));
  if (bad === undefined) return blocks;
  throw new UsageError(`--audit-from: "${bad}" is not a CIDR range; write it as 10.0.0.0/28`);
}

function isBlock(block: string): boolean {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(block) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(length) <= (version === 4 ? 32 : 128);
}
