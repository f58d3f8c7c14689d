import { http } from '@google-cloud/functions-framework';
import { ConfigError, parseConfig } from '../shared/config.ts';
import { createLog } from '../shared/log.ts';
import { answer, bodyOf } from './door.ts';
import { auditFleet, openFleet, resyncFleet } from './fleet.ts';
import { openPublish } from './publish.ts';

/** The composition root: the environment becomes a configuration, and two functions are registered. */
const config = configOrExit();
const log = createLog((line) => process.stdout.write(`${line}\n`), config.logLevel);
const fleet = openFleet(config, log);
const publish = config.fanOut && openPublish(config.fanOut);

http('resync', (request, response) =>
  answer(log, response, async () => resyncFleet(fleet, bodyOf(request), publish)),
);

http('audit', (request, response) =>
  answer(log, response, async () => {
    const { cluster } = request.query;
    const from = typeof cluster === 'string' ? cluster : undefined;
    return auditFleet(fleet, bodyOf(request), { headers: request.headers, from });
  }),
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
