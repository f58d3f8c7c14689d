import { http } from '@google-cloud/functions-framework';
import { ConfigError, parseConfig } from '../shared/config.ts';
import { createLog } from '../shared/log.ts';
import { openRuns } from '../shared/runs.ts';
import { handleAudit } from './audit.ts';
import { answer, bodyOf } from './door.ts';
import { handleResync } from './resync.ts';

/** The composition root: the environment becomes a configuration, and two functions are registered. */
const config = configOrExit();
const log = createLog((line) => process.stdout.write(`${line}\n`), config.logLevel);
const runs = openRuns(config, log);

http('resync', (request, response) =>
  answer(log, response, async () => handleResync(runs, bodyOf(request))),
);

http('audit', (request, response) =>
  answer(log, response, async () => handleAudit(runs, bodyOf(request), request.headers)),
);

function configOrExit() {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
