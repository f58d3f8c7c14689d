/** A resync of a version, with the number of unavailable Deployments after it. */
export interface PlottedResync {
  readonly phase: string;
  readonly unavailable: number;
}

const column = 20;
const left = 40;
const top = 28;
const height = 160;

/** Draws the unavailable Deployments after each resync as an SVG that follows the reader's light or dark theme. */
export function rolloutPlot(resyncs: readonly PlottedResync[], budget: number): string {
  const y = (count: number): number => top + height - (count / (budget * 1.25)) * height;
  const x = (at: number): number => left + at * column;
  const right = x(resyncs.length) + 8;
  const bars = resyncs.map(
    ({ unavailable }, at) =>
      `<rect class="bar" x="${x(at) + 2}" y="${y(unavailable)}" width="${column - 4}" height="${top + height - y(unavailable)}"/>`,
  );
  const phases = resyncs.flatMap(({ phase }, at) =>
    resyncs[at - 1]?.phase === phase
      ? []
      : [
          `<line class="axis" x1="${x(at)}" x2="${x(at)}" y1="${top - 14}" y2="${top + height}"/>`,
          `<text x="${x(at) + 4}" y="${top - 6}">${phase}</text>`,
        ],
  );
  const scale = [0, budget].flatMap((count) => [
    `<text x="${left - 6}" y="${y(count) + 4}" text-anchor="end">${count}</text>`,
    `<line class="${count === 0 ? 'axis' : 'budget'}" x1="${left}" x2="${right}" y1="${y(count)}" y2="${y(count)}"/>`,
  ]);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${right + 130}" height="${top + height + 28}" role="img" aria-label="Resources that are unavailable after each resync of a rollout">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.bar { fill: #0969da } .axis { stroke: #8c959f } .budget { stroke: #cf222e; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #4493f8 } .axis { stroke: #6e7681 } .budget { stroke: #f85149 } }
</style>
${[...bars, ...scale, ...phases].join('\n')}
<text x="${right + 4}" y="${y(budget) + 4}">ROLLOUT_BUDGET</text>
<text x="${left}" y="${top + height + 20}">unavailable of 200, after each resync</text>
</svg>
`;
}
