import type { Kind } from '../../shared/kinds/kind.ts';
import { definitionErrors, framesOf } from '../../shared/kinds/own-code.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { checkKind, kindWarnings } from './check-kind.ts';
import { openServer } from './dry-run-server.ts';
import { isDefined, pathProblem } from './fields.ts';

/** Messages about kinds. Each names the kind, the place in it, usually a remedy, and the kind's file and line. */
interface CheckedKinds {
  readonly problems: readonly string[];
  /** Probable mistakes in valid kinds; none for a kind with a problem. */
  readonly warnings: readonly string[];
}

/**
 * Checks kinds using their samples.
 *
 * Flow: installs the CRDs in an embedded API server. Then sends samples and their children as dry runs, in the form
 * that a run would send.
 * Caveats: code that no sample reaches is not checked. A child with `blocked` or `gone` is not sent. A child of a
 * custom type is sent only if the type is a kind, because other CRDs are unknown.
 */
export async function checkKinds(kinds: readonly Kind[]): Promise<CheckedKinds> {
  const server = await openServer(definedIn(kinds));
  try {
    const checked = kinds.map((kind): CheckedKinds => {
      const withLocation = located(definedAt(kind));
      const refusals = server.ofDefinition(kind);
      const problems =
        refusals.length > 0 ? refusals : [...emptyPaths(kind), ...checkKind(kind, server)];
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

/** Finds paths of columns and the `scale` subresource that lead to no field. Skips paths with an index or a filter. */
function emptyPaths(kind: Kind): readonly string[] {
  const paths = [
    ...kind.columns.map(({ name, jsonPath }) => [`column ${name}`, jsonPath]),
    ...Object.entries(kind.scale ?? {}).map(([name, path]) => [`scale.${name}`, path]),
  ];
  return paths.flatMap(([place, path = '']) => {
    const isPlain = /^\.(spec|status)(\.\w+)*$/.test(path);
    const problem = isPlain ? pathProblem(kind, path.slice(1)) : undefined;
    return problem === undefined ? [] : [`${kind.kind}: ${place}: ${problem}`];
  });
}

/** Appends the location of the kind, unless the problem already ends with a location. */
const located =
  (origin: string | undefined) =>
  (problem: string): string =>
    origin === undefined || / at \S+:\d+:\d+$/.test(problem) ? problem : `${problem} (${origin})`;

export const definedIn = (kinds: readonly Kind[]): readonly Kind[] => {
  const all = [...kinds.flatMap(({ owns }) => owns.filter(isDefined)), ...kinds];
  return [...new Map(all.map((kind) => [groupResource(kind), kind])).values()];
};

/** Such as `file:///…/cache.ts:3:22`. */
function definedAt(kind: object): string | undefined {
  const [, file, position] = framesOf(definitionErrors.get(kind))[0] ?? [];
  return file && `${file}${position}`;
}
