import type { Preview } from '../preview/preview.ts';
import type { Decisions } from './decide.ts';
import type { DecisionLine, TotalsLine } from './recording.ts';

/** Decisions as the last lines of a recording. */
export function decisionLines({
  decided: { resources, ...totals },
  wanted,
}: Pick<Decisions, 'decided' | 'wanted'>): readonly string[] {
  const decided = resources.map((resource) => textOf({ line: 'decided', resource }));
  const known = new Set(decided);
  const others = wanted.resources.filter(
    (resource) => !known.has(textOf({ line: 'decided', resource })),
  );
  return [
    ...decided,
    ...others.map((resource) => textOf({ line: 'wanted', resource })),
    textOf({ line: 'totals', ...totals }),
  ];
}

const textOf = (line: DecisionLine | TotalsLine): string => JSON.stringify(line);

/** The decisions in these lines. */
export function decisionsFrom(
  lines: readonly DecisionLine[],
  { line: _, ...totals }: TotalsLine,
): Pick<Decisions, 'decided' | 'wanted'> {
  const resourcesOf = (name: DecisionLine['line']): Preview['resources'] =>
    lines.filter(({ line }) => line === name).map(({ resource }) => resource);
  const resources = resourcesOf('decided');
  const others = new Map(resourcesOf('wanted').map((one) => [one.uid, one]));
  return {
    decided: { ...totals, resources },
    wanted: { ...totals, resources: resources.map((one) => others.get(one.uid) ?? one) },
  };
}
