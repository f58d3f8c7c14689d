// Adds up vitest's JSON reports. A report that is missing or holds no test counts as one failure.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    passed += report.numPassedTests;
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1);
    if (report.numTotalTests === 0) failed += 1;
  } catch (error) {
    process.stderr.write(`${file}: ${error.message}\n`);
    failed += 1;
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
