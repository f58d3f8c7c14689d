import { hasName, type Kind } from '../../../shared/kinds/kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import { type PlannedResource, requestsFor } from '../../../shared/preview/planned-resource.ts';
import { type Preview, type PreviewedRun, previewRun } from '../../../shared/preview/preview.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { withObserver } from '../../../shared/run/run.ts';
import { apply } from '../../actions/apply.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import { counted } from '../../actions/wording.ts';
import { definitionPath, lostValues } from '../base/field-loss.ts';
import { probeFor } from '../base/probe.ts';
import type { Session } from '../base/session.ts';
import { printLines } from '../output/print.ts';
import { showProgress } from '../output/progress.ts';

/** With `adopts`, the plan adopts children without an owner. */
export async function makePlan(
  { begin, config, terminal }: Session,
  request: ReconcileRequest,
  adopts = false,
) {
  const run = await begin();
  const { onProgress, stop } = showProgress(terminal);
  const observed = withObserver(run, { onProgress });
  const options = { ...previewOptions(config), adopts };
  return { run, seen: await previewRun(observed, [request], options).finally(stop) };
}

/** The maximum number of resources in one adoption, because a person has to read the plan. */
const maxAdopting = 100;

/**
 * Plans an adoption: returns resources with children to adopt, and resources that could not be planned. If there are no
 * children to adopt, also returns resources with a blocked or observed child, which show why nothing is adopted.
 */
export async function makeAdoption(session: Session, request: ReconcileRequest) {
  const { run, seen } = await makePlan(session, request, true);
  const adopts = ({ actions }: PlannedResource) => actions.some((action) => action.adopts);
  const isHeldUp = ({ actions }: PlannedResource) =>
    actions.some(({ verb, reason }) => verb === 'block' || reason === 'ObservedOnly');
  const isAdopting = seen.preview.resources.some(adopts);
  const isOfInterest = isAdopting ? adopts : isHeldUp;
  const shown = seen.preview.resources.filter((one) => one.state === 'failed' || isOfInterest(one));
  const resources = shown.slice(0, maxAdopting);
  const more = shown.slice(maxAdopting).filter(adopts).length;
  const rest = `${counted(more, 'more resource')} with children to adopt: run the command again once this plan is applied`;
  if (!isAdopting) printLines(session.terminal.err, ['no child to adopt']);
  if (more > 0) printLines(session.terminal.err, [rest]);
  const chosen = new Set(resources.map(({ uid }) => uid));
  const requests = { ...seen.preview.requests, toPerform: resources.flatMap(requestsFor).length };
  const work = seen.work.filter(({ resource }) => chosen.has(resource.uid));
  return { run, seen: { ...seen, work, preview: { ...seen.preview, resources, requests } } };
}

export type Refused = Report['failures'][number];

/** Lets the server validate each write by a dry run. Returns the refusals that the plan does not contain. */
export async function refusedBy(
  { beginDryRun, config }: Session,
  seen: PreviewedRun,
): Promise<readonly Refused[]> {
  const { concurrency } = config;
  const { failures } = await apply(await beginDryRun(), seen, { concurrency });
  const actions = seen.preview.resources.flatMap((one) => one.actions);
  const known = new Set(actions.map(({ reason, message }) => `${reason} ${message}`));
  return failures.filter(({ reason, message }) => !known.has(`${reason} ${message}`));
}

export const isComplete = ({ incomplete, resources }: Preview): boolean =>
  incomplete.length === 0 && resources.every(({ state }) => state !== 'failed');

export const writes = ({ resources }: Preview): boolean =>
  resources.some((one) => requestsFor(one).some(({ verb }) => verb !== 'get'));

/** A value that stored resources lose once the new CRD of their kind is installed. */
export interface FieldLoss {
  /** `boxes.example.com` */
  readonly kind: string;
  readonly text: string;
}

/** Skips CRDs that cannot be read. */
export async function fieldLosses(
  { credentials, config: { kinds, namespaces } }: Session,
  { kind: requested }: ReconcileRequest,
): Promise<readonly FieldLoss[]> {
  const probe = probeFor(credentials);
  const ofKind = async (kind: Kind): Promise<readonly FieldLoss[]> => {
    const { code, value } = await probe({ path: definitionPath(kind) });
    if (code !== 200) return [];
    const lost = await lostValues(probe, kind, { definition: value, namespaces });
    return lost.map((text) => ({ kind: groupResource(kind), text }));
  };
  const chosen = kinds.filter((kind) => requested === undefined || hasName(kind, requested));
  return (await Promise.all(chosen.map(ofKind))).flat();
}
