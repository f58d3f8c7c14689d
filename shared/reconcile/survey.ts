import { isExpired, isFinal, isNotFound, messageOf } from '../cluster/errors.ts';
import type { Kind } from '../kinds/define-kind.ts';
import { groupResource, type KubeObject } from '../kubernetes.ts';
import { findingOf } from '../plan/finding.ts';
import { observeResource } from '../plan/observed.ts';
import { isQuiet, plan, wantsDeletion } from '../plan/plan.ts';
import { countIn, isEdited, mergeCounts, type NamespaceCounts } from '../plan/pruning.ts';
import { nextStatus } from '../plan/status.ts';
import type { Area } from './area.ts';
import { type ListedChildren, listChildren, listResources } from './listing.ts';
import { type Run, timestamp } from './run.ts';
import { type View, viewOf } from './view.ts';

/** What an area holds, as read at one moment: everything that is as wanted is counted and forgotten. */
export interface Survey {
  /** Resources for which something has to be done or said. */
  readonly work: readonly View[];
  readonly resources: number;
  readonly namespaces: NamespaceCounts;
  /** Resources that are left alone: suspended, or on their way out. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** Kinds whose picture is incomplete: nothing is written for them. */
  readonly incomplete: readonly Incomplete[];
}

export interface Incomplete {
  readonly kind: string;
  readonly error: string;
  /** May pass by itself. */
  readonly transient?: boolean;
}

/**
 * Lists the children, then the resources, and plans each.
 *
 * Flow: a list whose pages no longer fit together (410) restarts all lists, children first, once.
 * Guarantees: no child is newer than the specification it is judged by; a kind of which any list
 * failed has no work; memory holds the children and what differs, not the pages.
 */
export async function survey(run: Run, area: Area, awaited?: Uids): Promise<Survey> {
  const first = await listAll(run, area, awaited);
  if (!first.failures.some(({ error }) => isExpired(error))) return summary(first);
  run.log.info('lists restarted, their pages expired');
  return summary(await listAll(run, area, awaited));
}

interface Listing {
  readonly tallies: readonly Tally[];
  readonly failures: readonly { readonly kind: Kind; readonly error: unknown }[];
}

interface Tally {
  readonly work: View[];
  resources: number;
  readonly namespaces: NamespaceCounts;
  suspended: number;
  deleting: number;
}

async function listAll(run: Run, area: Area, awaited?: Uids): Promise<Listing> {
  const { childrenOf, failed } = await listChildren(run, area);
  const results = await Promise.all(
    area.kinds.map(async (kind) => {
      const blind = kind.owns.find((type) => failed.has(type));
      if (blind !== undefined) return { kind, error: failed.get(blind) };
      return listKind(run, area, { kind, childrenOf, awaited }).catch((error: unknown) => ({
        kind,
        error,
      }));
    }),
  );
  return {
    tallies: results.flatMap((result) => ('error' in result ? [] : [result])),
    failures: results.flatMap((result) => ('error' in result ? [result] : [])),
  };
}

/** Uids: nothing else is looked at, and these are work even where all is as wanted. */
export type Uids = ReadonlySet<string>;

interface KindListing extends Pick<ListedChildren, 'childrenOf'> {
  readonly kind: Kind;
  readonly awaited: Uids | undefined;
}

async function listKind(
  run: Run,
  area: Area,
  { kind, childrenOf, awaited }: KindListing,
): Promise<Tally> {
  const tally: Tally = {
    work: [],
    resources: 0,
    namespaces: new Map(),
    suspended: 0,
    deleting: 0,
  };
  const now = timestamp(run.now());
  const each = (live: KubeObject): void => {
    if (awaited?.has(live.metadata.uid) === false) return;
    const resource = observeResource(live);
    const view = viewOf(kind, resource, childrenOf(resource));
    tally.resources++;
    countIn(tally.namespaces, resource.namespace).resources++;
    try {
      if (awaited === undefined) sift(tally, view, now);
      else tally.work.push(view);
    } catch {
      // The kind's own code failed at this one; reconciling it fails likewise and tells of it alone.
      tally.work.push(view);
    }
  };
  await listResources(run, area, kind, each);
  return tally;
}

function sift(tally: Tally, view: View, now: string): void {
  const { kind, resource } = view;
  const planned = plan(kind, resource, view);
  if (planned.state === 'deleting' || planned.state === 'suspended') tally[planned.state]++;
  if (planned.state === 'deleting') return;
  if (wantsDeletion(planned) && !isEdited(resource))
    countIn(tally.namespaces, resource.namespace).deletions++;
  if (isQuiet(planned) && isSaid(view, findingOf(view, planned, []), now)) return;
  tally.work.push(view);
}

const isSaid = (
  { kind, resource }: View,
  finding: ReturnType<typeof findingOf>,
  now: string,
): boolean =>
  nextStatus(kind, resource, { now, ...(finding ?? { suspended: true }) }) === undefined;

function summary({ tallies, failures }: Listing): Survey {
  const sum = (count: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + count(tally), 0);
  return {
    work: tallies.flatMap(({ work }) => work),
    resources: sum(({ resources }) => resources),
    namespaces: mergeCounts(tallies.map(({ namespaces }) => namespaces)),
    idle: {
      suspended: sum(({ suspended }) => suspended),
      deleting: sum(({ deleting }) => deleting),
    },
    incomplete: failures.map(({ kind, error }) => ({
      kind: groupResource(kind),
      error: remedy(kind, error),
      ...(isFinal(error) ? {} : { transient: true }),
    })),
  };
}

const remedy = (kind: Kind, error: unknown): string =>
  isNotFound(error)
    ? `${groupResource(kind)} ${kind.version} is not served: install its CRD (infra/crds/) or leave it out of KINDS`
    : messageOf(error);
