-- The tests of a webhook, of which only the latest are kept.
CREATE INDEX IF NOT EXISTS webhook_deliveries_tests_idx ON webhook_deliveries (webhook_id, id) WHERE event = 'webhook.test';
