// Adds up vitest's JSON reports and repeats what failed, so that the end of a long log names it. A report that is missing or holds no test counts as one failure.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    passed += report.numPassedTests;
    failed += report.numFailedTests + (report.success || report.numFailedTests > 0 ? 0 : 1);
    if (report.numTotalTests === 0) failed += 1;
    for (const { name, message, status, assertionResults } of report.testResults) {
      if (status === 'failed' && message)
        process.stdout.write(`FAILED ${name}\n${message.slice(0, 4_000)}\n`);
      for (const test of assertionResults) {
        if (test.status !== 'failed') continue;
        process.stdout.write(
          `FAILED ${name}: ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 4_000)}\n`,
        );
      }
    }
  } catch (error) {
    process.stderr.write(`${file}: ${error.message}\n`);
    failed += 1;
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
