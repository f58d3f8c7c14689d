import { definedAt } from '../../shared/kinds/define-kind.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { checkKind, kindWarnings } from './check-kind.ts';
import { openServer } from './dry-run-server.ts';
import { isDefined } from './fields.ts';

/** Texts with the kind, the location, a remedy, and the file and line of the kind. */
interface CheckedKinds {
  /** What is wrong. */
  readonly problems: readonly string[];
  /** What is allowed, and probably a mistake; none of a kind with a problem. */
  readonly warnings: readonly string[];
}

/**
 * Checks kinds, as far as their samples reach.
 *
 * Flow: their definitions are installed in an embedded API server, to which samples and the children
 * for them are sent as dry runs, as a run would send them.
 * Caveats: a child that is blocked is not sent, and one of a custom type only if the type is a kind, whose
 * definition is at hand.
 */
export async function checkKinds(kinds: readonly Kind[]): Promise<CheckedKinds> {
  const server = await openServer(definedIn(kinds));
  try {
    const checked = kinds.map((kind): CheckedKinds => {
      const withLocation = located(definedAt(kind));
      const refusals = server.ofDefinition(kind);
      const problems = refusals.length > 0 ? refusals : checkKind(kind, server);
      const warnings = problems.length > 0 ? [] : kindWarnings(kind);
      return { problems: problems.map(withLocation), warnings: warnings.map(withLocation) };
    });
    return {
      problems: checked.flatMap(({ problems }) => problems),
      warnings: checked.flatMap(({ warnings }) => warnings),
    };
  } finally {
    server.stop();
  }
}

/** What the kind's own code threw has a location already. */
const located =
  (origin: string | undefined) =>
  (problem: string): string =>
    origin === undefined || / at \S+:\d+:\d+$/.test(problem) ? problem : `${problem} (${origin})`;

/** The kinds, and those that they own. */
const definedIn = (kinds: readonly Kind[]): readonly Kind[] => {
  const all = [...kinds.flatMap(({ owns }) => owns.filter(isDefined)), ...kinds];
  return [...new Map(all.map((kind) => [groupResource(kind), kind])).values()];
};
