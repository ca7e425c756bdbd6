// Made by npm run check -- dashboard-types from the server's own /openapi.json. Change the schemas of its routes.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it can do its work */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last hour in figures
         * @description Held only in the memory of the processes: it begins again when a process restarts. With separate services the gateway gathers it from all of them, and names the processes that do not answer.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the first API key has to be created, and what this caller has to present */
        get: operations["getSetup"];
        put?: never;
        /**
         * Create the first API key, with scope admin
         * @description Needs the setup token if SETUP_TOKEN is set, otherwise the bootstrap key if ADMIN_API_KEY is set. Outside of production, a call straight from the machine itself needs no bootstrap key in the first ten minutes. Of web pages, only the dashboard of this server may call. No body is needed. After setup, every call gets 409.
         */
        post: operations["claimSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description By `expiresAt`, keys that never expire come after all others.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The scope is full if none is given. Only this answer has the raw key. An API key with `contents` creates only keys with the same ones or fewer.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The API key of the caller
         * @description The bootstrap key is not stored: it has a scope, a name, and null for an id.
         */
        get: operations["getCurrentApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look an API key up */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Returns the key. A repeat keeps the first revokedAt. If no key with scope admin or full is left and ADMIN_API_KEY is not set, nobody can manage the server: a Warning header and the log of the operator say so.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the name, the expiry or the metadata of an API key
         * @description The scope and the contents never change: create another key. Metadata is replaced as a whole. A key that is revoked or expired cannot be changed: 404.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key by a new one with the same name, scope, contents, expiry and metadata
         * @description A key that is revoked or expired cannot be rotated: 404.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List management actions, done and refused, newest first
         * @description One record counts several refusals without a valid credential: see `count`. The settings AUDIT_KEEP_ACTS_DAYS, AUDIT_KEEP_REFUSALS_DAYS and AUDIT_KEEP_STRANGERS_DAYS set how long records are kept. Raw API keys and tokens that a caller put into an id are shown as `***`, and are found by that. Reading leaves no record. With several filters or `without`, a page may be shorter than its limit, or empty, although next_cursor names another page.
         */
        get: operations["listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export management actions, done and refused, newest first
         * @description Streams everything that matches. CSV (RFC 4180) has its column names in the first line, and an apostrophe before each cell that a spreadsheet would run as a formula. JSON Lines have one record of the list in each line. An answer that breaks off is incomplete. The export is audited with its format and filters, and is its own first line if it matches them.
         */
        get: operations["exportAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests over time, by code, content, viewer or API key
         * @description Kept over restarts: by minutes for USAGE_MINUTES_KEEP_HOURS, and by hours for USAGE_KEEP_DAYS. The server chooses the step by the range and by what is kept. A process that is killed loses the minute under way.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Server-sent events of leases, API keys, content and the audit
         * @description Events `lease`, `api-key`, `content` and `audit`; data is JSON: `event` (what happened) and `data` (the resource). A hint for displays: events can be missed, so load the lists again after a reconnection. A reconnection with `Last-Event-ID` gets the event `missed` first, unless nothing happened in between and the same process answers. A comment comes every 15 s: a stream that is silent for longer is broken. An API key may have 32 streams open at each process of the auth service, the next one gets 429. With 512 open in all, the next one gets 503.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks, oldest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Add a webhook
         * @description It gets what happens from now on. Only this answer has the secret. There are at most 20.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook and its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a webhook
         * @description A paused webhook gets no events, and what waits for it is sent once it is resumed. What happened meanwhile is not sent.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description Messages of the next 24 hours carry a signature by each of the two secrets.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event `webhook.test`
         * @description At once, or when a paused webhook is resumed. The list of deliveries shows what came of it.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again, with the same id and body */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List contents, newest first */
        get: operations["listContents"];
        put?: never;
        /**
         * Register a content, or update it if the id is known
         * @description Registering again changes the given members, but neither keyVersion nor status. With `If-None-Match: *` a known id gets 412. Of a content that no API key with the scope packager registered, such a key may only tighten keyPeriods, and not change playlistUrl.
         */
        post: operations["registerContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look a content up */
        get: operations["getContent"];
        put?: never;
        post?: never;
        /** Disable a content: its keys are no longer served */
        delete: operations["disableContent"];
        options?: never;
        head?: never;
        /** Change a content, or bring a disabled one back */
        patch: operations["updateContent"];
        trace?: never;
    };
    "/api/v1/content/{id}/key-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where an encoder reads the key of now
         * @description The three lines of ffmpeg's `-hls_key_info_file`: the key's URI for the playlist, the URL to read the key from, and an IV, random at each call. The second URL has a credential of its own, good for one minute and this key alone. The API key may also come as the password of `Basic`.
         */
        get: operations["getKeyInfo"];
        /**
         * The same as GET, for encoders that upload by PUT
         * @description The three lines of ffmpeg's `-hls_key_info_file`: the key's URI for the playlist, the URL to read the key from, and an IV, random at each call. The second URL has a credential of its own, good for one minute and this key alone. The API key may also come as the password of `Basic`.
         */
        put: operations["getKeyInfoByPut"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/player-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report the player's metrics */
        post: operations["reportPlayerMetrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a lease, or renew the active one of the same viewer, content and device
         * @description Without a deviceId each call is a playback of its own and makes a new lease, which counts for LEASE_MAX_PER_VIEWER.
         */
        post: operations["createLease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a playback session: a lease that is given as a URL
         * @description For players that can send no header. The URL is the secret, and no other answer has it. A second session of the same viewer, content and deviceId replaces the first.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/leases/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Renew a lease, up to the grace after its expiry */
        post: operations["renewLease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/leases/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke leases
         * @description Names one of leaseId, viewerId, contentId, or viewerId with contentId. A viewer names its own leaseId only, and does not wait.
         */
        post: operations["revokeLeases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List leases, newest first
         * @description By `expiresAt` only active leases are listed (state=active), of all viewers and contents. While the rows of a large revocation are being written, a page of one state may be shorter than its limit although next_cursor names another page. With `Prefer: return=minimal` nothing is counted: total_active and total are missing. Counting a million takes a while.
         */
        get: operations["listLeases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/leases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look a lease up */
        get: operations["getLease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/viewers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List viewers by their id, or by what stands out
         * @description By `viewerId`: viewers that have leases, ended ones included as long as they are kept. Each other order has the highest number or latest time first, and only viewers that have one: -lastSeenAt, -activeLeases and -devices among the 20,000 leases that end last, -served and -refused by the usage of the last hour, -revokedAt among the latest 1,000 marks and 1,000 blocks. An API key of some contents has the first order alone, and no `block` and `lastHour`.
         */
        get: operations["listViewers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List marks, newest first
         * @description A mark refuses the tokens that a viewer was issued before a revocation. One without a viewer holds for all viewers of the content, one without a content for all contents.
         */
        get: operations["listMarks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/marks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Lift a mark
         * @description Tokens from before the revocation are accepted again, as far as no other mark holds for them. Leases that were revoked stay so: a player asks for a new one.
         */
        delete: operations["liftMark"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/viewers/{viewerId}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the block of a viewer */
        get: operations["getViewerBlock"];
        /**
         * Block a viewer
         * @description No token of the viewer gets a key, a lease or a session, whenever it is issued, until the block is lifted or has ended. Its leases and sessions are revoked, and its tokens marked, as by a revocation by viewerId. A further block replaces the end and the reason.
         */
        put: operations["blockViewer"];
        post?: never;
        /**
         * Lift the block of a viewer
         * @description Tokens that were issued after the viewer was blocked work again. Those from before stay marked, and revoked leases stay revoked.
         */
        delete: operations["unblockViewer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/viewers/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List blocked viewers, the latest block first */
        get: operations["listViewerBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/play/{sid}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A playlist of a session
         * @description The `url` in the answer of `POST /keys/sessions` leads here. The URL is the credential: no header is needed, and any page may fetch it. Keys of this server get `?s=` with the id of the session; segments come from where the source has them. Compressed with gzip for clients that accept it.
         */
        get: operations["getSessionPlaylist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{contentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The content key
         * @description Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.
         */
        get: operations["getContentKey"];
        /**
         * The content key, for encoders that upload by PUT
         * @description Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.
         */
        put: operations["getContentKeyByPut"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{contentId}/{epoch}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The content key of one period
         * @description Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.
         */
        get: operations["getContentKeyOfEpoch"];
        /**
         * The content key of one period, for encoders that upload by PUT
         * @description Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.
         */
        put: operations["getContentKeyOfEpochByPut"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{contentId}/kid/{kid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The content key that a packager named by its key id
         * @description Instead of `Authorization`, the URL that key info names has a credential in its query, `key_credential`: good for one minute and for that key alone. The URLs in the playlist of a playback session have its id, `s`: good for keys of its content alone.
         */
        get: operations["getContentKeyByKid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/clearkey/{contentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A Clear Key licence for DASH and CMAF
         * @description Request and answer have the form of W3C Encrypted Media Extensions, whatever the type of the request. Each key is decided about as by `GET /keys/…`. The first refusal is the answer for all. Key ids come from `latchkey encrypt --scheme` or from a CPIX document for this content.
         */
        post: operations["issueClearKeyLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/cpix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of a content as a CPIX document
         * @description For packagers that read a CPIX 2.3 document before they begin. Each epoch is a key period. The keys are in the clear. The API key may also come as the password of `Basic`.
         */
        get: operations["getCpixDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/vod-drm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The key of a content, for nginx-vod-module
         * @description Answers as the DRM upstream of nginx-vod-module: one key, its id and a vector, the same at each call. The API key may also come as the password of `Basic`.
         */
        get: operations["getVodDrmKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/speke/v2.0/copyProtection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Content keys for a packager, by SPEKE 2.0 or 2.1
         * @description Needs `X-Speke-Version`: 2.0 with CPIX 2.3, or 2.1 with CPIX 2.4. The API key may also come as the password of `Basic`. A refusal has the text of the specification in `detail`.
         */
        post: operations["fillSpeke2Document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/speke/v1.0/copyProtection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Content keys for a packager, by SPEKE 1.0
         * @description The API key may also come as the password of `Basic`. A refusal has the text of the specification in `detail`.
         */
        post: operations["fillSpeke1Document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/speke/v1.0/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server answers packagers by SPEKE 1.0 */
        get: operations["getSpekeHeartbeat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the content keys of a content
         * @description To leave, or to move to another installation. Every export is in the audit. Neither the status nor the key periods of the content matter.
         */
        get: operations["exportContentKeys"];
        /**
         * Import a content key that exists already
         * @description The body is the 16 bytes of the key, whatever its type. The key is stored wrapped under the master key, and served instead of the derived one. A key that was imported before is replaced.
         */
        put: operations["importContentKey"];
        post?: never;
        /**
         * Remove an imported content key
         * @description The derived key is served again, also if no key had been imported.
         */
        delete: operations["removeImportedContentKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/keys/{epoch}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Import a content key of one period that exists already
         * @description The body is the 16 bytes of the key, whatever its type. The key is stored wrapped under the master key, and served instead of the derived one. A key that was imported before is replaced.
         */
        put: operations["importContentKeyOfEpoch"];
        post?: never;
        /**
         * Remove an imported content key of one period
         * @description The derived key is served again, also if no key had been imported.
         */
        delete: operations["removeImportedContentKeyOfEpoch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/key-decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Why a content key is served or refused
         * @description The decisions of a key request in their order, by what is known now and by the function that decides key requests. Name a viewer, or send the token or the id of the playback session that a player has: it is checked, neither stored nor logged, and not in the answer. Nothing is changed: the call counts neither as a use of the session nor as a key of the pace. With a viewer token, `contentId` may be left out: then only the credential is decided. If it is accepted, the outcome is `unknown`, with an empty `contentId` and the viewer of the token.
         */
        post: operations["explainContentKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** ApiKey */
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first 11 characters of the raw key. */
            keyPrefix: string;
            scope: components["schemas"]["Scope"];
            /** @description Ids of contents, or prefixes such as `acme-*`: no other contents exist for the key. Null: all contents. */
            contents: string[] | null;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            lastUsedAt: string | null;
        };
        /** AuditRecord */
        AuditRecord: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: {
                kind: string;
                id: string | null;
            };
            /** @description The person whom a proxy with sign-on named (DASHBOARD_USER_HEADER). Null for none. */
            person: string | null;
            action: string;
            target: string | null;
            clientIp: string | null;
            requestId: string | null;
            /** @description `done` or `refused`. */
            outcome: string;
            code: string | null;
            /** @description How many leases a revocation by viewer or content revoked. Null for other acts, and until the last of many is written. */
            affected: number | null;
            /** @description How many refusals the record counts; 1 for everything that was done. Refusals without a valid credential are counted: one record a minute for an address (a /64 of IPv6) and action, with the target, request and code of the first. Refusals of an API key or viewer are counted, too, beyond 1,000 at once and 10 a minute. A process that counts more than 60 addresses or actors in a minute puts the rest of an action into one record without them. The number may be a second late. */
            count: number;
            /** @description Why it was done and what it changed. Null if the record does not say. */
            details: {
                /** @description Of a revocation or a block. */
                reason?: string;
                /** @description The changes of an edit, by the names of the API. Long values are cut. */
                changes?: {
                    [key: string]: {
                        before?: unknown;
                        after?: unknown;
                    };
                };
            } | null;
        };
        /** ClockPeriods */
        ClockPeriods: {
            /** @enum {string} */
            mode: "clock";
            /**
             * Format: date-time
             * @description When epoch 0 begins.
             */
            origin: string;
            periodSeconds: number;
            /** @description How many epochs after the current one are served. 1 if it is left out. */
            ahead?: number;
            /** @description How many epochs before the current one are served. Null, or left out: all. */
            behind?: number | null;
        };
        /** Content */
        Content: {
            /** @description Part of the URL of its keys. */
            id: string;
            /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
            name: string;
            /**
             * @description The keys of a disabled content are not served.
             * @enum {unknown}
             */
            status: "active" | "disabled";
            /** @description The version of the master key that its keys are derived with. It never changes. */
            keyVersion: number;
            /** @description When the keys of its epochs are served: by the clock (live), or in sequence (on demand). Null: at any time. */
            keyPeriods: null | components["schemas"]["ClockPeriods"] | components["schemas"]["SequencePeriods"];
            /** @description Bytes of the encrypted files. */
            sizeBytes: number | null;
            /** @description Where the manifest lies in the bucket. */
            manifestKey: string | null;
            /** @description Absolute URL of its playlist, of an origin that PLAYLIST_ORIGINS lists. Playback sessions need it. Null clears it. */
            playlistUrl: string | null;
            /** @description Your own data: at most 16 KiB of JSON text, 32 levels deep. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** CurrentApiKey */
        CurrentApiKey: {
            /** Format: uuid */
            id: string | null;
            name: string;
            /** @description The first 11 characters of the raw key. */
            keyPrefix?: string;
            scope: components["schemas"]["Scope"];
            /** @description Ids of contents, or prefixes such as `acme-*`: no other contents exist for the key. Null: all contents. */
            contents?: string[] | null;
            /** Format: date-time */
            expiresAt?: string | null;
            /** Format: date-time */
            revokedAt?: string | null;
            /** Format: date-time */
            createdAt?: string;
            /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
            metadata?: {
                [key: string]: string;
            };
            /** Format: date-time */
            lastUsedAt?: string | null;
        };
        /** Lease */
        Lease: {
            /** Format: uuid */
            id: string;
            /**
             * @description A session is a lease that is given as a URL.
             * @enum {unknown}
             */
            kind: "player" | "session";
            viewerId: string;
            contentId: string;
            deviceId: string | null;
            /** @enum {unknown} */
            state: "active" | "expired" | "revoked";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            renewedAt: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            revokedAt: string | null;
            /** @enum {string|null} */
            revokedBy: "viewer" | "management" | "limit" | null;
            reason: string | null;
            /**
             * Format: date-time
             * @description Of a session: its last reported use. Null for a player, which renews instead.
             */
            lastUsedAt: string | null;
        };
        /** Mark */
        Mark: {
            id: string;
            viewerId: string | null;
            contentId: string | null;
            /** Format: date-time */
            markedAt: string;
            /**
             * Format: date-time
             * @description From then on no token that is accepted can be older than it, and it is removed. Null with AUTH_JWT_REQUIRE_IAT=false: it is kept until it is lifted.
             */
            lapsesAt: string | null;
        };
        /** NewApiKey */
        NewApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first 11 characters of the raw key. */
            keyPrefix: string;
            scope: components["schemas"]["Scope"];
            /** @description Ids of contents, or prefixes such as `acme-*`: no other contents exist for the key. Null: all contents. */
            contents: string[] | null;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
            metadata: {
                [key: string]: string;
            };
        };
        /**
         * Problem
         * @description RFC 9457 problem details
         */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            requestId: string;
            errors?: {
                path: string;
                message: string;
            }[];
            scope?: string;
            /** @enum {boolean} */
            limited?: true;
            missing?: string[];
            leases?: unknown[];
            currentEpoch?: number;
            /** Format: date-time */
            opensAt?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * Scope
         * @enum {unknown}
         */
        Scope: "admin" | "full" | "packager" | "upload" | "playback";
        /** SequencePeriods */
        SequencePeriods: {
            /** @enum {string} */
            mode: "sequence";
            /** @description The epochs are 0 to count - 1. */
            count: number;
            /** @description The longest period. */
            periodSeconds: number;
            /** @description How many keys a viewer may fetch at once. Optional. Default: the keys of two minutes, and at least 8. */
            burst?: number;
            /** @description How many keys come back in each period. 2 if it is left out. */
            speed?: number;
            /** @description False: no bound on how fast keys are fetched. True if it is left out. */
            pace?: boolean;
        };
        /** Session */
        Session: {
            /** @description The secret part of the URL. Null in the answer to a repeat with the same Idempotency-Key. */
            id: string | null;
            /** Format: uuid */
            leaseId: string;
            viewerId: string;
            contentId: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /**
             * Format: date-time
             * @description No use extends the session beyond.
             */
            endsAt: string;
        };
        /** Statistics */
        Statistics: {
            /** Format: date-time */
            at: string;
            stepSeconds: number;
            /** @description Key requests, by every replica that derives keys. */
            keyRequests: {
                /** @description The process that measured it. */
                source: "key-derivation" | "gateway";
                /** @description How many processes are in it. */
                processes: number;
                lastMinute: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                lastHour: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                /** @description Oldest first, one for each step since the first of these processes started; the last step is still going on. */
                series: {
                    /** Format: date-time */
                    at: string;
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                }[];
            };
            /** @description Requests for keys and leases that the gateway which gives this answer has answered. Calls of the dashboard are left out. */
            playbackRequests: {
                /** @description The process that measured it. */
                source: "key-derivation" | "gateway";
                /** @description How many processes are in it. */
                processes: number;
                lastMinute: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                lastHour: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                /** @description Oldest first, one for each step since the first of these processes started; the last step is still going on. */
                series: {
                    /** Format: date-time */
                    at: string;
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                }[];
            };
            /** @description All requests, key requests included, that the gateway which gives this answer has answered: other gateways know theirs. Health checks are left out. */
            requests: {
                /** @description The process that measured it. */
                source: "key-derivation" | "gateway";
                /** @description How many processes are in it. */
                processes: number;
                lastMinute: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                lastHour: {
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                };
                /** @description Oldest first, one for each step since the first of these processes started; the last step is still going on. */
                series: {
                    /** Format: date-time */
                    at: string;
                    count: number;
                    perSecond: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p95Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    p99Ms: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    clientErrorShare: number | null;
                    /** @description From 0 to 1; null if there was none. */
                    serverErrorShare: number | null;
                }[];
            };
            /** @description The codes of the 4xx answers in the last hour of `playbackRequests`, the most frequent first. */
            refusedCodes: {
                code: string;
                count: number;
            }[];
            activeLeases: {
                count: number | null;
                /** Format: date-time */
                countedAt: string | null;
                series: {
                    /** Format: date-time */
                    at: string;
                    count: number;
                }[];
            };
            endedLeases: {
                /** @description Leases that players returned, or that a newer lease of their viewer replaced. */
                lastHour: number;
            };
            player: {
                lastHour: {
                    reports: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    firstFrameP50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    firstFrameP95Ms: number | null;
                    stallsPerReport: number | null;
                };
                /** @description Only the steps in which players reported. */
                series: {
                    /** Format: date-time */
                    at: string;
                    reports: number;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    firstFrameP50Ms: number | null;
                    /** @description Milliseconds, right to 4 %; null if nothing was measured. */
                    firstFrameP95Ms: number | null;
                    stallsPerReport: number | null;
                }[];
            };
            /** @description The latest changes of authority by management, newest first. */
            changes: {
                /** @description In the change feed. */
                number: number;
                /** Format: date-time */
                at: string;
                /** @description `leases` is a revocation: of one lease, or of all of a viewer, of a content, or of the two together. */
                kind: "leases" | "api-key" | "content";
                leaseId: string | null;
                viewerId: string | null;
                contentId: string | null;
                /** @description The longest of the delays. */
                slowestMs: number | null;
                /** @description From the time of the change to when the replica gave no key by what was before: as right as the machines’ clocks. */
                reached: {
                    replica: string;
                    delayMs: number;
                }[];
                /** @description Replicas that ran at that time and have not said that they applied it. */
                pending: string[];
            }[];
            /** @description The key-derivation replicas that answered. */
            replicas: {
                replica: string;
                /** Format: date-time */
                startedAt: string;
            }[];
            /** @description Every process that answered, the one that gives this answer first. Other gateways are not among them: they know only themselves. */
            processes: {
                /** @description `single node`, `gateway`, `edge`, or the name of a service. */
                service: string;
                /** @description Host and port, or a name where the process has no address of its own. */
                address: string;
                version: string;
                /** Format: date-time */
                startedAt: string;
                /** @description How long ago it was known to have read every change; null if it has not yet, or does not follow the changes. */
                feedAgeMs: number | null;
                /** @description The age from which it serves no key by a cached state; null if it does not follow the changes. */
                feedLimitMs: number | null;
                /** @description Its clock less the clock of the process that answers, by half of the round trip. */
                clockSkewMs: number;
                /** @description How far the skew may be wrong, in milliseconds: half of the round trip. */
                clockAccuracyMs: number;
            }[];
            ready: boolean;
            /** @description As `/ready` shows them. */
            dependencies: {
                [key: string]: {
                    status: string;
                } & {
                    [key: string]: unknown;
                };
            };
            /** @description All current problems, worst first. Webhooks get them as `alert.started` and `alert.ended`. */
            concerns: {
                /** @description The same for the same problem, also after it came back. */
                id: string;
                severity: "bad" | "warning";
                title: string;
                /** @description What to do. */
                advice: string;
            }[];
            warnings: {
                code: string;
                severity: "warning" | "notice";
                title: string;
                detail: string;
                /** @description A document of the project, and a heading in it. */
                documentation: string;
            }[];
            /** @description The latest refused requests for keys and leases, newest first: as many as `refusals` asks for. Each process keeps 250, and as many without a known caller, in memory. A flood of one code pushes out its own. */
            refusals: {
                /** Format: date-time */
                at: string;
                kind: "key" | "lease";
                status: number;
                code: string;
                viewerId: string | null;
                /**
                 * Format: date-time
                 * @description The `iat` of the token; null if it had none. Missing if no token was read.
                 */
                issuedAt?: string | null;
                /** @description What the content claim of the token opened: ten ids at most, the id of the request first. Null: everything. Missing as `issuedAt`. */
                contentIds?: string[] | null;
                apiKeyId: string | null;
                contentId: string | null;
                epoch: number | null;
                leaseId: string | null;
                clientIp: string;
                requestId: string;
                /** @description Which process refused it: its service and address. */
                process: string;
            }[];
            settings?: {
                /** @description What stores everything, and how much room it takes. Null if that cannot be read. */
                database: {
                    kind: "Postgres" | "SQLite";
                    bytes: number;
                } | null;
                processes: {
                    service: string;
                    address: string;
                    variables: {
                        name: string;
                        about: string;
                        from: "default" | "environment" | "file";
                        /** @description What is set, or the default. Null for what is secret or in a file. */
                        value: string | null;
                    }[];
                    /** @description Fingerprints of the master keys that it holds. Empty if it derives no keys. */
                    masterKeys: {
                        version: number;
                        fingerprint: string;
                    }[];
                    /** @description How long ago it read the key set of viewer tokens; of several issuers, the oldest. Null without one. */
                    keySetAgeMs: number | null;
                }[];
            };
            /** @description Processes that did not answer in time. The figures do not include them. */
            missing: {
                service: string;
                address: string;
            }[];
        };
        /** Usage */
        Usage: {
            /** @description Why there is no usage: `off` (USAGE_KEEP_DAYS=0). Null if there is usage. */
            unavailable: string | null;
            requests: string;
            by: string;
            /** @description Start of the first step. */
            from: string;
            /** @description End of the last step. */
            to: string;
            stepSeconds: number;
            /** @description Requests after this time may not have been reported yet. A process that is cut off reports later. */
            completeUntil: string;
            /** @description Each request once. */
            totals: {
                served: number;
                refused: number;
                /** @description In order of time. `at` is the start of a step. A step without a request is left out. */
                points: {
                    at: string;
                    served: number;
                    refused: number;
                }[];
            };
            series: {
                id: string;
                served: number;
                refused: number;
                /** @description In order of time. `at` is the start of a step. A step without a request is left out. */
                points: {
                    at: string;
                    served: number;
                    refused: number;
                }[];
            }[];
            /** @description All that is not among `series`. The 50 busiest series of an interval and process are counted apart, the rest together. */
            other: {
                served: number;
                refused: number;
                /** @description In order of time. `at` is the start of a step. A step without a request is left out. */
                points: {
                    at: string;
                    served: number;
                    refused: number;
                }[];
            };
            /** @description `GRAFANA_URL`. */
            grafanaUrl: string | null;
        };
        /** Viewer */
        Viewer: {
            viewerId: string;
            /** @description Of its latest 1,000 leases. */
            activeLeases: number;
            /** @description Different device ids of its latest 1,000 leases. Ended leases are kept for LEASES_KEEP_HOURS. */
            devices: number;
            /**
             * Format: date-time
             * @description The latest creation or renewal of these leases. Null if none is kept.
             */
            lastSeenAt: string | null;
            mark: {
                /** Format: date-time */
                markedAt: string;
                /**
                 * Format: date-time
                 * @description As of a mark.
                 */
                lapsesAt: string | null;
            } | null;
            block?: components["schemas"]["ViewerBlock"] | null;
            lastHour?: {
                /** @description Keys and licences that it got. */
                served: number;
                /** @description Requests for keys and leases that it was refused. */
                refused: number;
            } | null;
        };
        /** ViewerBlock */
        ViewerBlock: {
            viewerId: string;
            /** Format: date-time */
            blockedAt: string;
            /**
             * Format: date-time
             * @description Null: until it is lifted.
             */
            until: string | null;
            reason: string | null;
        };
        /** Webhook */
        Webhook: {
            /** Format: uuid */
            id: string;
            name: string;
            url: string;
            events: string[];
            status: "active" | "paused";
            /** @description `receiver` if it answered 410; null while active. */
            pausedBy: string | null;
            /**
             * Format: date-time
             * @description Until then the secret from before the last rotation signs too.
             */
            previousSecretUntil: string | null;
            /** @description Deliveries that wait. */
            pending: number;
            /** @description Events that were dropped because 10,000 waited. */
            dropped: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** WebhookDelivery */
        WebhookDelivery: {
            /** @description The `webhook-id` of the message. */
            id: string;
            type: string;
            /** @enum {unknown} */
            state: "pending" | "delivered" | "failed";
            tries: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastTryAt: string | null;
            /** Format: date-time */
            nextTryAt: string | null;
            /** Format: date-time */
            endedAt: string | null;
            /** @description The status of the last answer. */
            lastStatus: number | null;
            /** @description Why the last try failed. */
            lastError: string | null;
            /** @description The body of the message. */
            payload: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ApiKey = components['schemas']['ApiKey'];
export type AuditRecord = components['schemas']['AuditRecord'];
export type ClockPeriods = components['schemas']['ClockPeriods'];
export type Content = components['schemas']['Content'];
export type CurrentApiKey = components['schemas']['CurrentApiKey'];
export type Lease = components['schemas']['Lease'];
export type Mark = components['schemas']['Mark'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type Problem = components['schemas']['Problem'];
export type Scope = components['schemas']['Scope'];
export type SequencePeriods = components['schemas']['SequencePeriods'];
export type Session = components['schemas']['Session'];
export type Statistics = components['schemas']['Statistics'];
export type Usage = components['schemas']['Usage'];
export type Viewer = components['schemas']['Viewer'];
export type ViewerBlock = components['schemas']['ViewerBlock'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                        version: string;
                        uptimeSeconds: number;
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: "ready" | "not_ready";
                        dependencies: {
                            [key: string]: {
                                status: string;
                            } & {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description How many of the latest points each series has at most: 360 are an hour. */
                steps?: number;
                /** @description How many of the latest refused requests for keys and leases are in the answer. */
                refusals?: number;
                /** @description Whether the settings of each process are in the answer. */
                settings?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        statistics: components["schemas"]["Statistics"];
                    };
                };
            };
        };
    };
    getSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether no API key is stored yet. */
                        setup_required: boolean;
                        /**
                         * @description The credential that this caller must present to POST, as Authorization: Bearer.
                         * @enum {unknown}
                         */
                        credential: "none" | "bootstrap-key" | "setup-token";
                    };
                };
            };
        };
    };
    claimSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["NewApiKey"];
                        /** @description Shown this once; only its hash is stored. */
                        raw_key: string;
                    };
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description The order of the list; a minus means descending. A cursor holds for the order it was given in. */
                sort?: "-createdAt" | "createdAt" | "expiresAt" | "-expiresAt";
                /** @description Part of the name, in any case, or how the raw key begins. */
                q?: string;
                /** @description Revoked wins over expired. */
                status?: "active" | "revoked" | "expired";
                scope?: components["schemas"]["Scope"];
                /** @description Has no expiry, or one within the next 14 days. */
                expires?: "never" | "within-14-days";
                /** @description Not used for this many days. A key that was never used counts from its creation. */
                unusedDays?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_keys: components["schemas"]["ApiKey"][];
                        next_cursor: string | null;
                        /** @description How many match, on all pages. Counted up to 100,000. */
                        total: number;
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description 8 to 128 visible ASCII characters, such as a UUID. A repeat within 24 h gets the first answer again, without its secrets, and acts no more. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name: string;
                    scope?: components["schemas"]["Scope"];
                    /** @description ISO 8601, in the future. Null: the key does not expire. */
                    expiresAt?: string | null;
                    /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description Ids of contents, or prefixes such as `acme-*`: no other contents exist for the key. Null: all contents. */
                    contents?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["NewApiKey"];
                        /** @description Shown this once; only its hash is stored. Null in the answer to a repeat with the same Idempotency-Key. */
                        raw_key: string | null;
                    };
                };
            };
        };
    };
    getCurrentApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["CurrentApiKey"];
                    };
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["ApiKey"];
                    };
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** @description Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS. */
                wait?: "applied";
            };
            header?: never;
            path: {
                /** @description UUID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @description The first 11 characters of the raw key. */
                        keyPrefix: string;
                        scope: components["schemas"]["Scope"];
                        /** @description Ids of contents, or prefixes such as `acme-*`: no other contents exist for the key. Null: all contents. */
                        contents: string[] | null;
                        /** Format: date-time */
                        expiresAt: string | null;
                        /** Format: date-time */
                        revokedAt: string | null;
                        /** Format: date-time */
                        createdAt: string;
                        /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
                        metadata: {
                            [key: string]: string;
                        };
                        /** Format: date-time */
                        lastUsedAt: string | null;
                        /**
                         * @description Present with `wait=applied`: every process has applied it.
                         * @enum {boolean}
                         */
                        applied?: true;
                        /** @description How long that took after the act was written. */
                        appliedAfterMs?: number;
                    };
                };
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name?: string;
                    /** @description ISO 8601, in the future. Null: the key does not expire. */
                    expiresAt?: string | null;
                    /** @description Your own data: up to 20 texts of 200 characters. A name has 1 to 40 letters, digits and `_.-`, a letter first. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["ApiKey"];
                    };
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description How long the old key still works. 0 revokes it at once.
                     * @default 0
                     */
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: components["schemas"]["NewApiKey"];
                        /** @description Shown this once; only its hash is stored. */
                        raw_key: string;
                        previous: components["schemas"]["ApiKey"];
                    };
                };
            };
        };
    };
    listAuditRecords: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description The order of the list; a minus means descending. A cursor holds for the order it was given in. */
                sort?: "-at" | "at";
                /** @description Such as api-key.create. */
                action?: string;
                /** @description Actions that are left out, separated by commas: 50 at most. */
                without?: string;
                /** @description The id of an actor (an API key, a viewer), or a kind of actors (such as bootstrap-key). */
                actor?: string;
                outcome?: "done" | "refused";
                /** @description The target of the action, in full and as the audit shows it: an id, or viewer:<id>, content:<id> or both. There, an id with a space, a quote or the like is a JSON string. */
                target?: string;
                /** @description At this time or later. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                from?: string;
                /** @description Before this time. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        audit: components["schemas"]["AuditRecord"][];
                        next_cursor: string | null;
                        /** @description How many match, on all pages. Counted up to 10,000. Null with several filters or `without`, unless all are on this page. */
                        total: number | null;
                    };
                };
            };
        };
    };
    exportAuditRecords: {
        parameters: {
            query: {
                format: "csv" | "jsonl";
                /** @description Such as api-key.create. */
                action?: string;
                /** @description Actions that are left out, separated by commas: 50 at most. */
                without?: string;
                /** @description The id of an actor (an API key, a viewer), or a kind of actors (such as bootstrap-key). */
                actor?: string;
                outcome?: "done" | "refused";
                /** @description The target of the action, in full and as the audit shows it: an id, or viewer:<id>, content:<id> or both. There, an id with a space, a quote or the like is a JSON string. */
                target?: string;
                /** @description At this time or later. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                from?: string;
                /** @description Before this time. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Start of the range: 15 minutes to 30 days before its end. Optional. Default: one hour. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                from?: string;
                /** @description End of the range. Optional. Default: now. ISO 8601 with its offset, such as 2027-01-31T12:00:00Z. */
                to?: string;
                /** @description Requests for keys and licences, for leases and sessions, or both together. */
                requests?: "keys" | "leases" | "all";
                /** @description The kind of a series. Optional. Default: `code`, or `content` for a limited API key. */
                by?: "code" | "content" | "viewer" | "api-key";
                /** @description One series alone: a code, or the id of a content, a viewer or an API key. */
                id?: string;
                /** @description How many series at most: the first by `sort`. */
                limit?: number;
                /** @description Which series are first: those with the most requests, or with the most refusals. By refusals, a series without one is left out. */
                sort?: "requests" | "refused";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        usage: components["schemas"]["Usage"];
                    };
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An endless stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                        /** @description WEBHOOK_ORIGINS: none, and no webhook can be added. */
                        origins: string[];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description 8 to 128 visible ASCII characters, such as a UUID. A repeat within 24 h gets the first answer again, without its secrets, and acts no more. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name: string;
                    /** @description Of an origin in WEBHOOK_ORIGINS. */
                    url: string;
                    events: ("lease.revoked" | "lease.limit-reached" | "api-key.expiring" | "alert.started" | "alert.ended")[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /** @description Shown this once. Null in the answer to a repeat with the same Idempotency-Key. */
                        secret: string | null;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name?: string;
                    /** @description Of an origin in WEBHOOK_ORIGINS. */
                    url?: string;
                    events?: ("lease.revoked" | "lease.limit-reached" | "api-key.expiring" | "alert.started" | "alert.ended")[];
                    status?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                        /** @description Shown this once. */
                        secret: string;
                    };
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
                state?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the webhook. */
                id: string;
                /** @description The id of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
        };
    };
    listContents: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description The keys of a disabled content are not served. */
                status?: "active" | "disabled";
                /** @description Part of the name or of the id, in any case. */
                q?: string;
                /** @description The name, in any case, or the id begins so. Answers the first ones in the order of names, with `limit` and without the other parameters. `total` is counted up to 1,000. */
                prefix?: string;
                /** @description Up to 100 ids, separated by commas. Returns the contents that exist. Use it without the other parameters. */
                ids?: string;
                /** @description The order of the list; a minus means descending. A cursor holds for the order it was given in. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Content"][];
                        /** @description How many match, on all pages. */
                        total: number;
                    };
                };
            };
        };
    };
    registerContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*` registers a new content only (RFC 9110, section 13.1.2). */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name: string;
                    /** @description Part of the URL of its keys. */
                    id?: string;
                    /** @description When the keys of its epochs are served: by the clock (live), or in sequence (on demand). Null: at any time. */
                    keyPeriods?: ({
                        /** @enum {unknown} */
                        mode: "clock" | "sequence";
                    } | null) & (components["schemas"]["ClockPeriods"] | components["schemas"]["SequencePeriods"]);
                    /** @description Bytes of the encrypted files. */
                    sizeBytes?: number | null;
                    /** @description Where the manifest lies in the bucket. */
                    manifestKey?: string | null;
                    /** @description Absolute URL of its playlist, of an origin that PLAYLIST_ORIGINS lists. Playback sessions need it. Null clears it. */
                    playlistUrl?: string | null;
                    /** @description Your own data: at most 16 KiB of JSON text, 32 levels deep. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Content"];
                        /** @description The URL of its key; absolute if PUBLIC_URL is set. */
                        key_endpoint: string;
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Content"];
                        /** @description The URL of its key; absolute if PUBLIC_URL is set. */
                        key_endpoint: string;
                    };
                };
            };
        };
    };
    getContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Content"];
                        /** @description The URL of its key; absolute if PUBLIC_URL is set. */
                        key_endpoint: string;
                    };
                };
            };
        };
    };
    disableContent: {
        parameters: {
            query?: {
                /** @description Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS. */
                wait?: "applied";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Content"];
                        /**
                         * @description Present with `wait=applied`: every process has applied it.
                         * @enum {boolean}
                         */
                        applied?: true;
                        /** @description How long that took after the act was written. */
                        appliedAfterMs?: number;
                    };
                };
            };
        };
    };
    updateContent: {
        parameters: {
            query?: {
                /** @description Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS. */
                wait?: "applied";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; then 1 to 200 characters, none of them a control character. */
                    name?: string;
                    /**
                     * @description The keys of a disabled content are not served.
                     * @enum {unknown}
                     */
                    status?: "active" | "disabled";
                    /** @description When the keys of its epochs are served: by the clock (live), or in sequence (on demand). Null: at any time. */
                    keyPeriods?: ({
                        /** @enum {unknown} */
                        mode: "clock" | "sequence";
                    } | null) & (components["schemas"]["ClockPeriods"] | components["schemas"]["SequencePeriods"]);
                    /** @description Bytes of the encrypted files. */
                    sizeBytes?: number | null;
                    /** @description Where the manifest lies in the bucket. */
                    manifestKey?: string | null;
                    /** @description Absolute URL of its playlist, of an origin that PLAYLIST_ORIGINS lists. Playback sessions need it. Null clears it. */
                    playlistUrl?: string | null;
                    /** @description Your own data: at most 16 KiB of JSON text, 32 levels deep. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        content: components["schemas"]["Content"];
                        /**
                         * @description Present with `wait=applied`: every process has applied it.
                         * @enum {boolean}
                         */
                        applied?: true;
                        /** @description How long that took after the act was written. */
                        appliedAfterMs?: number;
                    };
                };
            };
        };
    };
    getKeyInfo: {
        parameters: {
            query?: {
                /** @description Optional. Default: the current epoch, for content with key periods by the clock. */
                epoch?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Three lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getKeyInfoByPut: {
        parameters: {
            query?: {
                /** @description Optional. Default: the current epoch, for content with key periods by the clock. */
                epoch?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Three lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    reportPlayerMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Milliseconds; null before the first frame. */
                    timeToFirstFrame: number | null;
                    /** @description Milliseconds. */
                    avgDecryptTime: number;
                    /** @description Milliseconds. */
                    avgFragLoadTime: number;
                    /** @description Milliseconds. */
                    avgKeyFetchTime: number;
                    keyFetchCount: number;
                    qualitySwitches: number;
                    fragmentsLoaded: number;
                    stallCount: number;
                    contentId?: string;
                };
            };
        };
        responses: {
            /** @description Counted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createLease: {
        parameters: {
            query?: never;
            header?: {
                /** @description 8 to 128 visible ASCII characters, such as a UUID. A repeat within 24 h gets the first answer again, without its secrets, and acts no more. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    contentId: string;
                    /** @description Seconds. The lease may get a shorter time than requested. */
                    requestedTtlSeconds?: number;
                    deviceId?: string | null;
                    /** @description From an API key only, and then required. */
                    viewerId?: string;
                };
            };
        };
        responses: {
            /** @description The active lease of the same viewer, content and device, renewed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lease: components["schemas"]["Lease"];
                        ttl_seconds: number;
                        /** @description Renew this many seconds from now. */
                        renew_after_seconds: number;
                    };
                };
            };
            /** @description A new lease */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lease: components["schemas"]["Lease"];
                        ttl_seconds: number;
                        /** @description Renew this many seconds from now. */
                        renew_after_seconds: number;
                    };
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description 8 to 128 visible ASCII characters, such as a UUID. A repeat within 24 h gets the first answer again, without its secrets, and acts no more. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    contentId: string;
                    /** @description How long each use extends the session. It may get a shorter time than requested. */
                    ttlSeconds?: number;
                    deviceId?: string | null;
                    /** @description From an API key only, and then required. */
                    viewerId?: string;
                };
            };
        };
        responses: {
            /** @description A new session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session: components["schemas"]["Session"];
                        /** @description The playlist of the content, for any player of HLS. Null in the answer to a repeat with the same Idempotency-Key. */
                        url: string | null;
                        lease: components["schemas"]["Lease"];
                    };
                };
            };
        };
    };
    renewLease: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description UUID. */
                    leaseId: string;
                    /** @description Seconds. The lease may get a shorter time than requested. */
                    requestedTtlSeconds?: number;
                };
            };
        };
        responses: {
            /** @description The lease, with a new life that counts from now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lease: components["schemas"]["Lease"];
                        ttl_seconds: number;
                        /** @description Renew this many seconds from now. */
                        renew_after_seconds: number;
                    };
                };
            };
        };
    };
    revokeLeases: {
        parameters: {
            query?: {
                /** @description Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS. */
                wait?: "applied";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description UUID. */
                    leaseId?: string;
                    viewerId?: string;
                    contentId?: string;
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many were newly revoked, exact up to 10,000. */
                        revoked: number;
                        /**
                         * @description Present if more were revoked than were counted. The audit row gets the exact number as `affected`.
                         * @enum {boolean}
                         */
                        more?: true;
                        /** @description The first 100 of them, newest first. */
                        leases: components["schemas"]["Lease"][];
                        /**
                         * @description Present with `wait=applied`: every process has applied it.
                         * @enum {boolean}
                         */
                        applied?: true;
                        /** @description How long that took after the act was written. */
                        appliedAfterMs?: number;
                    };
                };
            };
        };
    };
    listLeases: {
        parameters: {
            query?: {
                viewerId?: string;
                contentId?: string;
                state?: "active" | "expired" | "revoked";
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description The order of the list; a minus means descending. A cursor holds for the order it was given in. */
                sort?: "-createdAt" | "createdAt" | "expiresAt" | "-expiresAt";
            };
            header?: {
                /** @description `return=minimal`: without total_active and total. */
                prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        leases: components["schemas"]["Lease"][];
                        next_cursor: string | null;
                        /** @description Active leases of the requested viewer and content. */
                        total_active?: number;
                        /** @description How many match, on all pages. Active ones are counted exactly, others up to 10,000. Null for other leases of both a viewer and a content, unless all are on this page. */
                        total?: number | null;
                    };
                };
            };
        };
    };
    getLease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        lease: components["schemas"]["Lease"];
                    };
                };
            };
        };
    };
    listViewers: {
        parameters: {
            query?: {
                /** @description This viewer alone, with leases or without. It goes without `prefix`, `cursor` and `sort`. */
                viewerId?: string;
                prefix?: string;
                sort?: "viewerId" | "-lastSeenAt" | "-activeLeases" | "-devices" | "-served" | "-refused" | "-revokedAt";
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        viewers: components["schemas"]["Viewer"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listMarks: {
        parameters: {
            query?: {
                viewerId?: string;
                contentId?: string;
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        marks: components["schemas"]["Mark"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    liftMark: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getViewerBlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                viewerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        block: components["schemas"]["ViewerBlock"] | null;
                    };
                };
            };
        };
    };
    blockViewer: {
        parameters: {
            query?: {
                /** @description Answers when no process decides by the state from before this act, at the latest after the longest AUTHORITY_MAX_AGE_SECONDS. */
                wait?: "applied";
            };
            header?: never;
            path: {
                viewerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                    /** @description ISO 8601, in the future, at most ten years. Null or missing: until it is lifted. */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        block: components["schemas"]["ViewerBlock"];
                        /** @description How many leases were newly revoked, exact up to 10,000. */
                        revoked: number;
                        /** @enum {boolean} */
                        more?: true;
                        /**
                         * @description Present with `wait=applied`: every process has applied it.
                         * @enum {boolean}
                         */
                        applied?: true;
                        /** @description How long that took after the act was written. */
                        appliedAfterMs?: number;
                    };
                };
            };
        };
    };
    unblockViewer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                viewerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listViewerBlocks: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        blocks: components["schemas"]["ViewerBlock"][];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getSessionPlaylist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the session: 43 characters of base64url. */
                sid: string;
                /** @description `index.m3u8`, or the name of a playlist that it lists. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The playlist. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apple.mpegurl": string;
                };
            };
        };
    };
    getContentKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content key: exactly 16 bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getContentKeyByPut: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content key: exactly 16 bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getContentKeyOfEpoch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
                /** @description 0 to 4294967295, without leading zeros. */
                epoch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content key: exactly 16 bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getContentKeyOfEpochByPut: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
                /** @description 0 to 4294967295, without leading zeros. */
                epoch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content key: exactly 16 bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getContentKeyByKid: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
                /** @description A UUID in lower case. */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content key: exactly 16 bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    issueClearKeyLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The lease that the viewer plays under. */
                "x-lease-id"?: string;
            };
            path: {
                contentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    kids: string[];
                    /** @description `temporary`, as without it. */
                    type?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: {
                            /** @enum {string} */
                            kty: "oct";
                            kid: string;
                            /** @description The 16 bytes of the content key in base64url. */
                            k: string;
                        }[];
                        /** @enum {string} */
                        type: "temporary";
                    };
                };
            };
        };
    };
    getCpixDocument: {
        parameters: {
            query?: {
                /** @description The epochs, such as 0-9 or 7, at most 64. Optional. Default: the key without an epoch. */
                epochs?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CPIX 2.3. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
        };
    };
    getVodDrmKeys: {
        parameters: {
            query?: {
                /** @description 0 to 4294967295, without leading zeros. */
                epoch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description 16 bytes in base64. */
                        key: string;
                        /** @description 16 bytes in base64. */
                        key_id: string;
                        /** @description 16 bytes in base64. */
                        iv: string;
                    }[];
                };
            };
        };
    };
    fillSpeke2Document: {
        parameters: {
            query?: never;
            header?: {
                /** @description `2.0` or `2.1`. */
                "x-speke-version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/xml": unknown;
                "text/xml": unknown;
            };
        };
        responses: {
            /** @description The document that came, with the keys and their URLs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
        };
    };
    fillSpeke1Document: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/xml": unknown;
                "text/xml": unknown;
            };
        };
        responses: {
            /** @description The document that came, with the keys and their URLs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
        };
    };
    getSpekeHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    exportContentKeys: {
        parameters: {
            query?: {
                /** @description The epochs, such as 0-9 or 7, at most 1000. Optional. Default: the key without an epoch, and all imported keys. */
                epochs?: string;
                /** @description Only without `epochs`: `next` of the answer before. */
                from?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        contentId: string;
                        keys: {
                            epoch: number | null;
                            /** @description 32 hex digits. */
                            key: string;
                            /** @enum {unknown} */
                            source: "derived" | "imported";
                        }[];
                        /** @description Where the next page begins; null after the last one. */
                        next: number | null;
                    };
                };
            };
        };
    };
    importContentKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    removeImportedContentKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    importContentKeyOfEpoch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @description 0 to 4294967295, without leading zeros. */
                epoch: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    removeImportedContentKeyOfEpoch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @description 0 to 4294967295, without leading zeros. */
                epoch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    explainContentKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    contentId?: string;
                    /** @description Instead of `token`. */
                    viewerId?: string;
                    /** @description A viewer token, or the id of a playback session. */
                    token?: string;
                    /** @description With `viewerId`: when its token was issued. Now, if it is left out; null for a token without `iat`. */
                    issuedAt?: string | null;
                    /** @description With `viewerId`: what its token opens, as ids, or as prefixes such as `acme-*`. Everything, if it is null or left out. */
                    contentIds?: string[] | null;
                    epoch?: number;
                    /** @description A UUID in lower case. */
                    kid?: string;
                    /** @description `X-Lease-Id` of the request. */
                    leaseId?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        outcome: "served" | "refused" | "unknown";
                        code: string | null;
                        /** Format: date-time */
                        decidedAt: string;
                        viewerId: string | null;
                        contentId: string;
                        /** @description The same with a token of this viewer that is issued now and opens all that its issuer can open. Null without a viewer whose token is known. */
                        withNewToken: {
                            /** @enum {unknown} */
                            outcome: "served" | "refused" | "unknown";
                            code: string | null;
                        } | null;
                        steps: {
                            /** @enum {unknown} */
                            step: "credential" | "entitlement" | "content" | "lease" | "marks" | "lease-mode" | "key-periods" | "key" | "pace";
                            /**
                             * @description `skipped`: the step does not hold for such a request. `not-reached`: an earlier one has refused. `unknown`: what it needs cannot be read.
                             * @enum {unknown}
                             */
                            answer: "passed" | "refused" | "unknown" | "skipped" | "not-reached";
                            code: string | null;
                            /** @description The facts that the step used. Names that end with `At` are times. */
                            facts: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
}
