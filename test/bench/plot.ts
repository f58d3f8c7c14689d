import { readFile, writeFile } from 'node:fs/promises';
import { type Measurement, median } from './figures.ts';

const row = 22;
const labels = 330;
const widest = 380;

/** Draws an SVG that follows the reader's light or dark theme. */
export function barsOf(measurements: readonly Measurement[]): string {
  const bars = measurements.map(({ scenario, candidate, samples }) => ({
    label: `${scenario}: ${candidate}`,
    isFloor: measurements.find((one) => one.scenario === scenario)?.candidate === candidate,
    seconds: median(samples.map(({ cpuSeconds }) => cpuSeconds)),
  }));
  const most = Math.max(...bars.map(({ seconds }) => seconds));
  const lines = bars.map(({ label, seconds, isFloor }, at) => {
    const y = row * (at + 1);
    const width = (widest * seconds) / most;
    return [
      `<text x="${labels - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${isFloor ? 'floor' : 'bar'}" x="${labels}" y="${y + 2}" width="${width.toFixed(1)}" height="${row - 7}"/>`,
      `<text x="${(labels + width + 6).toFixed(1)}" y="${y + 13}">${seconds.toFixed(2)} s</text>`,
    ].join('\n');
  });
  const size = `width="${labels + widest + 80}" height="${row * (bars.length + 2)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="CPU time by scenario and candidate">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.bar { fill: #0969da } .floor { fill: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bar { fill: #4493f8 } .floor { fill: #6e7681 } }
</style>
${lines.join('\n')}
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) {
    process.stderr.write('usage: npm run bench:plot -- FILE.json FIGURE.svg\n');
    process.exit(2);
  }
  const { measurements } = JSON.parse(await readFile(from, 'utf8'));
  await writeFile(to, barsOf(measurements));
}
