PRAGMA application_id = 1819045219;
PRAGMA user_version = 15;
BEGIN;
CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL DEFAULT '',
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        deleted_at REAL,
        model TEXT NOT NULL DEFAULT '',
        head_id INTEGER REFERENCES messages(id) ON DELETE SET NULL
    , pinned INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, prompt TEXT NOT NULL DEFAULT '', search_mode TEXT NOT NULL DEFAULT 'auto', settings TEXT, draft TEXT NOT NULL DEFAULT '', forked_from INTEGER REFERENCES messages(id) ON DELETE SET NULL, prompt_name TEXT NOT NULL DEFAULT '', prompt_edited INTEGER NOT NULL DEFAULT 0, title_key TEXT NOT NULL DEFAULT '');
INSERT INTO conversations (id, uid, title, created_at, updated_at, deleted_at, model, head_id, pinned, archived, prompt, search_mode, settings, draft, forked_from, prompt_name, prompt_edited, title_key) VALUES (1, 'c1', 'Bees', 10.5, 13.0, NULL, 'm1', 4, 0, 0, '', 'auto', NULL, '', NULL, '', 0, '');
INSERT INTO conversations (id, uid, title, created_at, updated_at, deleted_at, model, head_id, pinned, archived, prompt, search_mode, settings, draft, forked_from, prompt_name, prompt_edited, title_key) VALUES (2, 'c2', '', 20.0, 20.0, NULL, '', NULL, 0, 0, 'Be short.', 'auto', NULL, 'half', NULL, '', 0, '');
INSERT INTO conversations (id, uid, title, created_at, updated_at, deleted_at, model, head_id, pinned, archived, prompt, search_mode, settings, draft, forked_from, prompt_name, prompt_edited, title_key) VALUES (3, 'c3', 'Gone', 30.0, 31.0, 32.0, '', 5, 0, 0, '', 'auto', NULL, '', NULL, '', 0, '');
CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        parent_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        content TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        status TEXT NOT NULL DEFAULT 'complete',
        finish_reason TEXT NOT NULL DEFAULT '',
        error TEXT NOT NULL DEFAULT '',
        usage TEXT,
        created_at REAL NOT NULL,
        deleted_at REAL, reasoning TEXT, prompt TEXT, searches TEXT, wire TEXT, stream_id TEXT, stream_offset INTEGER, edited INTEGER NOT NULL DEFAULT 0, stream_state TEXT,
        CHECK (parent_id < id)  -- no circles
    );
INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, model, status, finish_reason, error, usage, created_at, deleted_at, reasoning, prompt, searches, wire, stream_id, stream_offset, edited, stream_state) VALUES (1, 'm1', 1, NULL, 'user', 'What is a bee? 蜜蜂', '', 'complete', '', '', NULL, 11.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, model, status, finish_reason, error, usage, created_at, deleted_at, reasoning, prompt, searches, wire, stream_id, stream_offset, edited, stream_state) VALUES (2, 'm2', 1, 1, 'assistant', 'A fly.', '', 'stopped', '', '', NULL, 12.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, model, status, finish_reason, error, usage, created_at, deleted_at, reasoning, prompt, searches, wire, stream_id, stream_offset, edited, stream_state) VALUES (3, 'm3', 1, 1, 'assistant', 'An insect.', 'm1', 'complete', '', '', '{"prompt_n": 3}', 13.0, NULL, 'Hm, é.', 'Be short.', '[{"query": "bee", "results": [{"title": "T", "url": "https://b.example", "content": "C"}], "error": ""}]', '[{"role": "assistant", "content": "An insect."}]', NULL, NULL, 0, NULL);
INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, model, status, finish_reason, error, usage, created_at, deleted_at, reasoning, prompt, searches, wire, stream_id, stream_offset, edited, stream_state) VALUES (4, 'm4', 1, 3, 'user', 'Tha', '', 'streaming', '', '', NULL, 14.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, model, status, finish_reason, error, usage, created_at, deleted_at, reasoning, prompt, searches, wire, stream_id, stream_offset, edited, stream_state) VALUES (5, 'm5', 3, NULL, 'user', 'deleted chat', '', 'complete', '', '', NULL, 15.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL);
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO state (key, value) VALUES ('draft', 'new chat');
CREATE TABLE index_queue (kind TEXT NOT NULL, id INTEGER NOT NULL, indexed TEXT, PRIMARY KEY (kind, id));
INSERT INTO index_queue (kind, id, indexed) VALUES ('message', 1, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('message', 2, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('message', 3, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('message', 4, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('message', 5, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('title', 1, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('title', 2, NULL);
INSERT INTO index_queue (kind, id, indexed) VALUES ('title', 3, NULL);
CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        message_id INTEGER NOT NULL DEFAULT 0,
        host TEXT NOT NULL,
        what TEXT NOT NULL,
        query TEXT NOT NULL DEFAULT '',
        bytes_out INTEGER NOT NULL DEFAULT 0,
        bytes_in INTEGER NOT NULL DEFAULT 0,
        seconds REAL NOT NULL DEFAULT 0,
        outcome TEXT NOT NULL DEFAULT ''
    );
INSERT INTO journal (id, at, message_id, host, what, query, bytes_out, bytes_in, seconds, outcome) VALUES (1, 13.5, 3, 'b.example', 'search', 'bee', 0, 0, 0.0, 'ok');
CREATE TABLE arriving (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE deletions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        act INTEGER NOT NULL,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        conversation_id INTEGER REFERENCES conversations(id) ON DELETE CASCADE,
        message_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
        head_id INTEGER,
        hidden TEXT
    );
INSERT INTO deletions (id, act, at, kind, conversation_id, message_id, head_id, hidden) VALUES (1, 1, 32.0, 'chat', 3, NULL, NULL, NULL);
CREATE TABLE queued (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        created_at REAL NOT NULL
    );
INSERT INTO queued (id, conversation_id, text, created_at) VALUES (1, 1, 'And a wasp?', 14.5);
CREATE TABLE tags (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        deleted_at REAL
    );
INSERT INTO tags (id, name, key, deleted_at) VALUES (1, 'Zoo', 'zoo', NULL);
INSERT INTO tags (id, name, key, deleted_at) VALUES (2, 'old', 'old', 14.5);
CREATE TABLE conversation_tags (
        id INTEGER PRIMARY KEY,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        tag_id INTEGER NOT NULL REFERENCES tags(id) ON DELETE CASCADE,
        UNIQUE (conversation_id, tag_id)
    );
INSERT INTO conversation_tags (id, conversation_id, tag_id) VALUES (1, 1, 1);
INSERT INTO conversation_tags (id, conversation_id, tag_id) VALUES (2, 1, 2);
INSERT INTO conversation_tags (id, conversation_id, tag_id) VALUES (3, 3, 1);
CREATE VIRTUAL TABLE messages_fts USING fts5(words, content='', columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE titles_fts USING fts5(words, content='', columnsize=0, tokenize='ascii');
CREATE INDEX conversations_head ON conversations (head_id);
CREATE INDEX messages_of_parent ON messages (parent_id);
CREATE INDEX messages_streaming ON messages (id) WHERE status = 'streaming';
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
        INSERT INTO index_queue VALUES ('message', new.id, NULL) ON CONFLICT DO NOTHING;
    END;
CREATE TRIGGER message_changed AFTER UPDATE OF content, deleted_at ON messages
        WHEN old.content IS NOT new.content OR old.deleted_at IS NOT new.deleted_at BEGIN
        INSERT INTO index_queue VALUES ('message', old.id, CASE WHEN old.deleted_at IS NULL THEN old.content END)
        ON CONFLICT DO NOTHING;
    END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
        INSERT INTO index_queue VALUES ('message', old.id, CASE WHEN old.deleted_at IS NULL THEN old.content END)
        ON CONFLICT DO NOTHING;
    END;
CREATE TRIGGER title_added AFTER INSERT ON conversations BEGIN
        INSERT INTO index_queue VALUES ('title', new.id, NULL) ON CONFLICT DO NOTHING;
    END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversations WHEN old.title IS NOT new.title BEGIN
        INSERT INTO index_queue VALUES ('title', old.id, old.title) ON CONFLICT DO NOTHING;
    END;
CREATE TRIGGER title_removed AFTER DELETE ON conversations BEGIN
        INSERT INTO index_queue VALUES ('title', old.id, old.title) ON CONFLICT DO NOTHING;
    END;
CREATE INDEX conversations_listed ON conversations (archived, pinned DESC, updated_at DESC, id DESC)
        WHERE deleted_at IS NULL;
CREATE INDEX messages_model ON messages (model);
CREATE INDEX messages_created ON messages (created_at);
CREATE INDEX messages_searched ON messages (id) WHERE searches IS NOT NULL;
CREATE INDEX messages_with_code ON messages (id) WHERE instr(content, '```') > 0;
CREATE INDEX deletions_of_conversation ON deletions (conversation_id);
CREATE INDEX deletions_of_message ON deletions (message_id);
CREATE INDEX conversations_forked ON conversations (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX queued_of_conversation ON queued (conversation_id);
CREATE UNIQUE INDEX tags_key ON tags (key) WHERE deleted_at IS NULL;
CREATE INDEX conversation_tags_of_tag ON conversation_tags (tag_id, conversation_id);
CREATE INDEX conversations_made ON conversations (archived, pinned DESC, created_at DESC, id DESC)
        WHERE deleted_at IS NULL;
CREATE INDEX conversations_titled ON conversations (archived, pinned DESC, title_key, id)
        WHERE deleted_at IS NULL;
CREATE INDEX messages_tree ON messages (conversation_id, parent_id, role, deleted_at);
COMMIT;
