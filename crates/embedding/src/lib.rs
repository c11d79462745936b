//! Embeddings of a model in a folder of the user's, computed on the CPU.
//!
//! In: a sentence-transformers folder of a BERT model: `config.json`, `tokenizer.json`,
//! `model.safetensors` and, where they are, `1_Pooling/config.json`, `modules.json`,
//! `sentence_bert_config.json`. Out: vectors at unit length. Invariants: nothing is fetched; no
//! file is trusted: what is missing, cut short, of another shape or of a kind that is not known is
//! an error that names the file; padding changes no vector; the id holds a hash of the files, so
//! vectors of two models never mix. What a Normalize module would do is done anyway. Prompts
//! (`config_sentence_transformers.json`) are not put before texts.
//!
//! Why a crate of its own: the command has it only if it is built with `--features local`; nothing else compiles
//! candle.

use browserlens_reading::embed::{EmbedError, Embedder, checked};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

/// Longest file that is read, apart from the weights. The largest vocabularies have some 20 MB.
const LONGEST_FILE: u64 = 128 << 20;
/// Most texts of one pass through the model.
const BATCH: usize = 16;

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
}

/// Embeds by a BERT model.
pub struct Local {
    model: BertModel,
    tokenizer: Tokenizer,
    pooling: Pooling,
    dimension: usize,
    vocabulary: usize,
    pad: u32,
    id: String,
    folder: PathBuf,
}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Local").field("folder", &self.folder).field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(flatten)]
    others: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct ModuleRow {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct SequenceFile {
    max_seq_length: Option<usize>,
}

impl Local {
    /// Loads the model of a folder.
    ///
    /// # Errors
    /// [`EmbedError::Model`] that names the file and what is wrong with it.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        let mut hash = blake3::Hasher::new();
        let path = folder.join("config.json");
        let config: Config = json(&path, &mut hash)?;
        check(&config).map_err(|reason| model(&path, reason))?;
        let sequence = optional::<SequenceFile>(&folder.join("sentence_bert_config.json"), &mut hash)?;
        let longest = sequence.and_then(|file| file.max_seq_length).unwrap_or(usize::MAX);
        let longest = longest.min(config.max_position_embeddings);
        check_modules(&folder.join("modules.json"), &mut hash)?;
        let pooling = read_pooling(&folder.join("1_Pooling/config.json"), &mut hash)?;
        let path = folder.join("tokenizer.json");
        let tokenizer = read_tokenizer(&path, longest, &mut hash)?;
        let path = folder.join("model.safetensors");
        let weights = read(&path, u64::MAX, &mut hash)?;
        let load = || {
            let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
            BertModel::load(weights, &config)
        };
        let bert = load().map_err(|error| model(&path, error.to_string()))?;
        let (dimension, pad) = (config.hidden_size, config.pad_token_id as u32);
        let id = format!("local/1/{}/{dimension}", &hash.finalize().to_hex()[..16]);
        let vocabulary = config.vocab_size;
        Ok(Self { model: bert, tokenizer, pooling, dimension, vocabulary, pad, id, folder: folder.to_owned() })
    }

    fn forward(&self, batch: &[Encoding]) -> candle_core::Result<Vec<Vec<f32>>> {
        let longest = batch.iter().map(|encoding| encoding.get_ids().len()).max().unwrap_or_default();
        if longest == 0 {
            return Ok(vec![vec![0.0; self.dimension]; batch.len()]);
        }
        let (mut ids, mut mask) = (Vec::new(), Vec::new());
        for encoding in batch {
            let own = encoding.get_ids();
            // Candle takes the largest number for "no token", and gives zeros.
            if let Some(id) = own.iter().find(|id| **id as usize >= self.vocabulary) {
                candle_core::bail!("the tokenizer gives token {id}, the model has {}", self.vocabulary);
            }
            ids.extend(own.iter().copied().chain(std::iter::repeat_n(self.pad, longest - own.len())));
            mask.extend((0..longest).map(|at| if at < own.len() { 1.0_f32 } else { 0.0 }));
        }
        let shape = (batch.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
        let kinds = ids.zeros_like()?;
        let states = self.model.forward(&ids, &kinds, Some(&mask))?;
        let pooled = match self.pooling {
            Pooling::Cls => states.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let counts = mask.sum_keepdim(1)?.clamp(1.0, f32::MAX)?;
                states.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?.broadcast_div(&counts)?
            }
        };
        pooled.to_vec2()
    }
}

impl Embedder for Local {
    fn id(&self) -> String {
        self.id.clone()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let encodings = self.tokenizer.encode_batch(batch.to_vec(), true);
            let encodings = encodings.map_err(|error| model(&self.folder.join("tokenizer.json"), error.to_string()))?;
            let forward = self.forward(&encodings);
            vectors.extend(forward.map_err(|error| model(&self.folder.join("model.safetensors"), error.to_string()))?);
        }
        checked(vectors, texts.len(), self.dimension)
    }
}

/// Sizes that the model's code divides by, or that would ask for more memory than there is.
fn check(config: &Config) -> Result<(), String> {
    let kind = config.model_type.as_deref().unwrap_or("bert");
    if kind != "bert" {
        return Err(format!("the model is a {kind:?}, only \"bert\" is known"));
    }
    let sizes = [
        ("hidden_size", config.hidden_size, 16_384),
        ("num_hidden_layers", config.num_hidden_layers, 256),
        ("num_attention_heads", config.num_attention_heads, 1_024),
        ("intermediate_size", config.intermediate_size, 1 << 17),
        ("max_position_embeddings", config.max_position_embeddings, 1 << 20),
        ("vocab_size", config.vocab_size, 1 << 24),
        ("type_vocab_size", config.type_vocab_size, 1 << 10),
    ];
    for (name, size, most) in sizes {
        if size == 0 || size > most {
            return Err(format!("{name} is {size}, expected 1 to {most}"));
        }
    }
    if !config.hidden_size.is_multiple_of(config.num_attention_heads) {
        let (size, heads) = (config.hidden_size, config.num_attention_heads);
        return Err(format!("hidden_size {size} cannot be parted among {heads} heads"));
    }
    if config.pad_token_id >= config.vocab_size {
        return Err(format!("pad_token_id {} is not in the vocabulary", config.pad_token_id));
    }
    Ok(())
}

fn check_modules(path: &Path, hash: &mut blake3::Hasher) -> Result<(), EmbedError> {
    let known = ["models.Transformer", "models.Pooling", "models.Normalize"];
    for module in optional::<Vec<ModuleRow>>(path, hash)?.unwrap_or_default() {
        if !known.iter().any(|known| module.kind.ends_with(known)) {
            let reason = format!("module {:?} is not known: transformer, pooling and normalize are", module.kind);
            return Err(model(path, reason));
        }
    }
    Ok(())
}

fn read_pooling(path: &Path, hash: &mut blake3::Hasher) -> Result<Pooling, EmbedError> {
    let Some(file) = optional::<PoolingFile>(path, hash)? else { return Ok(Pooling::Mean) };
    let other = file.others.iter().find(|(name, value)| name.starts_with("pooling_mode_") && **value == true);
    match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token, other) {
        (true, false, None) => Ok(Pooling::Mean),
        (false, true, None) => Ok(Pooling::Cls),
        (_, _, Some((name, _))) => Err(model(path, format!("{name} is not known: mean and cls are"))),
        _ => Err(model(path, "expected either pooling_mode_mean_tokens or pooling_mode_cls_token".to_owned())),
    }
}

fn read_tokenizer(path: &Path, longest: usize, hash: &mut blake3::Hasher) -> Result<Tokenizer, EmbedError> {
    let bytes = read(path, LONGEST_FILE, hash)?;
    // The library checks much, but not everything: a file of somebody else's must not end the
    // process.
    let loaded = std::panic::catch_unwind(|| Tokenizer::from_bytes(&bytes));
    let loaded = loaded.map_err(|_| model(path, "it is no tokenizer that can be used".to_owned()))?;
    let mut tokenizer = loaded.map_err(|error| model(path, error.to_string()))?;
    tokenizer.with_padding(None);
    let truncation = TruncationParams { max_length: longest, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).map_err(|error| model(path, error.to_string()))?;
    Ok(tokenizer)
}

fn optional<T: DeserializeOwned>(path: &Path, hash: &mut blake3::Hasher) -> Result<Option<T>, EmbedError> {
    path.exists().then(|| json(path, hash)).transpose()
}

fn json<T: DeserializeOwned>(path: &Path, hash: &mut blake3::Hasher) -> Result<T, EmbedError> {
    serde_json::from_slice(&read(path, LONGEST_FILE, hash)?).map_err(|error| model(path, error.to_string()))
}

fn read(path: &Path, most: u64, hash: &mut blake3::Hasher) -> Result<Vec<u8>, EmbedError> {
    let size = std::fs::metadata(path).map_err(|error| model(path, error.to_string()))?.len();
    if size > most {
        return Err(model(path, format!("it has {size} bytes, at most {most} are read")));
    }
    let bytes = std::fs::read(path).map_err(|error| model(path, error.to_string()))?;
    hash.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    Ok(bytes)
}

fn model(path: &Path, reason: String) -> EmbedError {
    EmbedError::Model { path: path.to_owned(), reason }
}
