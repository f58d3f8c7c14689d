import { http } from '@google-cloud/functions-framework';
import { answer, bodyOf } from './door.ts';
import type { Equipment } from './environment.ts';
import { auditFleet, resyncFleet } from './fleet.ts';
import { traceFields } from './trace.ts';

/** The resync function, under the name that the framework is started with. */
export const registerResync = ({ log, fleet, publish, ...about }: Equipment): void =>
  http('resync', (request, response) =>
    about.within(traceFields(request.headers, about.project), () =>
      answer(log, response, async () => resyncFleet(fleet, bodyOf(request), publish)),
    ),
  );

/** The audit function, likewise. */
export const registerAudit = ({ log, fleet, ...about }: Equipment): void =>
  http('audit', (request, response) =>
    about.within(traceFields(request.headers, about.project), () =>
      answer(log, response, async () => {
        const { cluster } = request.query;
        const from = typeof cluster === 'string' ? cluster : undefined;
        return auditFleet(fleet, bodyOf(request), { headers: request.headers, from });
      }),
    ),
  );
